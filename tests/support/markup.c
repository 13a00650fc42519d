/* SPDX-License-Identifier: Apache-2.0 */
#include "markup.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *markup_directory(void)
{
    const char template[] = "/tmp/flux-test-XXXXXX";
    char *path = malloc(sizeof template);
    if (!path)
        return NULL;
    memcpy(path, template, sizeof template);
    if (!mkdtemp(path)) {
        free(path);
        return NULL;
    }
    return path;
}

void markup_remove(char *directory, const char *const *names)
{
    char path[512];
    for (; *names; names++) {
        snprintf(path, sizeof path, "%s/%s", directory, *names);
        unlink(path);
    }
    rmdir(directory);
    free(directory);
}

char *markup_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16;
    char *text = file ? malloc(room) : NULL;
    *length = 0;
    while (text) {
        *length += fread(text + *length, 1, room - *length - 1, file);
        if (*length + 1 < room)
            break;
        char *more = realloc(text, room *= 2);
        if (!more)
            free(text);
        text = more;
    }
    if (text)
        text[*length] = '\0';
    if (file)
        fclose(file);
    return text;
}

struct wanted {
    const char *element; /* NULL: none */
    const char *content; /* NULL: any */
    size_t seen;
    int inside;
    char *text; /* of the element that is open */
    size_t used;
    size_t room;
};

static void XMLCALL open_element(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct wanted *wanted = user;
    (void)attributes;
    wanted->inside = wanted->element && strcmp(name, wanted->element) == 0;
    wanted->used = 0;
}

static void XMLCALL close_element(void *user, const XML_Char *name)
{
    struct wanted *wanted = user;
    if (!wanted->inside || strcmp(name, wanted->element) != 0)
        return;
    wanted->inside = 0;
    wanted->seen +=
        !wanted->content || (strlen(wanted->content) == wanted->used &&
                             (wanted->used == 0 || memcmp(wanted->content, wanted->text, wanted->used) == 0));
}

static void XMLCALL add_text(void *user, const XML_Char *text, int length)
{
    struct wanted *wanted = user;
    if (!wanted->inside)
        return;
    if (wanted->used + (size_t)length > wanted->room) {
        char *more = realloc(wanted->text, 2 * (wanted->used + (size_t)length));
        if (!more)
            return;
        wanted->text = more;
        wanted->room = 2 * (wanted->used + (size_t)length);
    }
    memcpy(wanted->text + wanted->used, text, (size_t)length);
    wanted->used += (size_t)length;
}

static int parse(const char *text, size_t length, struct wanted *wanted, char why[MARKUP_WHY])
{
    XML_Parser parser = XML_ParserCreate("UTF-8");
    XML_SetUserData(parser, wanted);
    XML_SetElementHandler(parser, open_element, close_element);
    XML_SetCharacterDataHandler(parser, add_text);
    int good = XML_Parse(parser, text, (int)length, 1) == XML_STATUS_OK;
    if (!good)
        snprintf(why, MARKUP_WHY, "line %lu: %s", (unsigned long)XML_GetCurrentLineNumber(parser),
                 XML_ErrorString(XML_GetErrorCode(parser)));
    XML_ParserFree(parser);
    free(wanted->text);
    return good;
}

int markup_is_xml(const char *text, size_t length, char why[MARKUP_WHY])
{
    struct wanted wanted = {.element = NULL};
    return parse(text, length, &wanted, why);
}

size_t markup_count(const char *text, size_t length, const char *element)
{
    return markup_find(text, length, element, NULL);
}

size_t markup_find(const char *text, size_t length, const char *element, const char *content)
{
    char why[MARKUP_WHY];
    struct wanted wanted = {.element = element, .content = content};
    parse(text, length, &wanted, why);
    return wanted.seen;
}
