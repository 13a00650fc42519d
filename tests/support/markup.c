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
    size_t index;
    size_t seen;
    int inside;
    char *content;
    size_t used;
};

static void XMLCALL open_element(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct wanted *wanted = user;
    (void)attributes;
    if (wanted->element && strcmp(name, wanted->element) == 0)
        wanted->inside = wanted->seen++ == wanted->index;
    if (wanted->inside && !wanted->content)
        wanted->content = calloc(1, 1);
}

static void XMLCALL close_element(void *user, const XML_Char *name)
{
    struct wanted *wanted = user;
    if (wanted->element && strcmp(name, wanted->element) == 0)
        wanted->inside = 0;
}

static void XMLCALL add_text(void *user, const XML_Char *text, int length)
{
    struct wanted *wanted = user;
    if (!wanted->inside || !wanted->content)
        return;
    char *more = realloc(wanted->content, wanted->used + (size_t)length + 1);
    if (!more)
        return;
    memcpy(more + wanted->used, text, (size_t)length);
    wanted->used += (size_t)length;
    more[wanted->used] = '\0';
    wanted->content = more;
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
    return good;
}

int markup_is_xml(const char *text, size_t length, char why[MARKUP_WHY])
{
    struct wanted wanted = {.element = NULL};
    return parse(text, length, &wanted, why);
}

size_t markup_count(const char *text, size_t length, const char *element)
{
    char why[MARKUP_WHY];
    struct wanted wanted = {.element = element, .index = (size_t)-1};
    parse(text, length, &wanted, why);
    return wanted.seen;
}

char *markup_content(const char *text, size_t length, const char *element, size_t index)
{
    char why[MARKUP_WHY];
    struct wanted wanted = {.element = element, .index = index};
    parse(text, length, &wanted, why);
    return wanted.content;
}
