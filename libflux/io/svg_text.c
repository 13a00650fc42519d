/* SPDX-License-Identifier: Apache-2.0 */
#include "io/svg.h"

#include "io/utf8.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

void flux_svg_number(struct flux_svg *svg, int64_t length)
{
    if (length < 0) {
        flux_io_put_char(svg->out, '-');
        length = -length;
    }
    flux_io_put_i64(svg->out, length / FLUX_SVG_PX);
    int64_t rest = length % FLUX_SVG_PX;
    if (rest == 0)
        return;
    flux_io_put_char(svg->out, '.');
    flux_io_put_char(svg->out, (char)('0' + rest / 10));
    if (rest % 10)
        flux_io_put_char(svg->out, (char)('0' + rest % 10));
}

void flux_svg_length(struct flux_svg *svg, const char *name, int64_t length)
{
    flux_io_put_char(svg->out, ' ');
    flux_io_put(svg->out, name);
    flux_io_put(svg->out, "=\"");
    flux_svg_number(svg, length);
    flux_io_put_char(svg->out, '"');
}

void flux_svg_text(struct flux_svg *svg, int64_t x, int64_t y, int64_t font, const char *anchor, const char *fill,
                   const char *extra, const char *text)
{
    if (svg->measuring)
        return;
    flux_io_put(svg->out, "<text");
    flux_svg_length(svg, "x", x);
    flux_svg_length(svg, "y", y);
    flux_svg_length(svg, "font-size", font);
    if (strcmp(anchor, "start") != 0) {
        flux_io_put(svg->out, " text-anchor=\"");
        flux_io_put(svg->out, anchor);
        flux_io_put_char(svg->out, '"');
    }
    flux_io_put(svg->out, " fill=\"");
    flux_io_put(svg->out, fill);
    flux_io_put_char(svg->out, '"');
    flux_io_put(svg->out, extra);
    flux_io_put_char(svg->out, '>');
    flux_io_put_xml(svg->out, text);
    flux_io_put(svg->out, "</text>\n");
}

int64_t flux_svg_text_width(const char *text, int64_t font)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t left = strlen(text);
    int64_t hundredths = 0; /* of the font's size */
    while (left > 0) {
        size_t length = flux_io_utf8_length(at, left);
        if (length <= 1)
            hundredths += strchr("iljtf.,:;|!'()[] ", *at) ? 38 : strchr("mwMW@%", *at) ? 98 : 64;
        else
            hundredths += length == 2 ? 70 : 102;
        at += length ? length : 1;
        left -= length ? length : 1;
    }
    return hundredths * font / 100;
}

char *flux_svg_time(int64_t time, char *text)
{
    static const struct {
        int64_t size;
        const char *name;
    } units[] = {{FLUX_S, "s"}, {FLUX_MS, "ms"}, {FLUX_US, "us"}, {FLUX_NS, "ns"}, {FLUX_PS, "ps"}};
    size_t u = 0;
    while (u < 4 && time < units[u].size)
        u++;
    if (time == 0)
        u = 2;
    int64_t part = units[u].size >= 1000 ? units[u].size / 1000 : 1;
    int64_t decimals = units[u].size >= 1000 ? 3 : 0;
    int64_t thousandths = time / part + (time % part >= part - time % part ? 1 : 0);
    if (part == 1)
        thousandths = time;
    int64_t whole = decimals ? thousandths / 1000 : thousandths;
    int64_t rest = decimals ? thousandths % 1000 : 0;
    int length = snprintf(text, FLUX_SVG_TIME, "%lld", (long long)whole);
    if (rest) {
        length += snprintf(text + length, FLUX_SVG_TIME - (size_t)length, ".%03d", (int)rest);
        while (text[length - 1] == '0')
            length--;
    }
    snprintf(text + length, FLUX_SVG_TIME - (size_t)length, " %s", units[u].name);
    return text;
}

char *flux_svg_count(uint64_t count, char *text)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    int used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

char *flux_svg_percent(uint64_t parts, uint64_t whole, unsigned decimals, char *text)
{
    uint64_t scale = 100;
    for (unsigned i = 0; i < decimals; i++)
        scale *= 10;
    wide rounded = ((wide)parts * scale + whole / 2) / whole;
    uint64_t value = rounded > UINT64_MAX ? UINT64_MAX : (uint64_t)rounded;
    if (decimals == 0)
        snprintf(text, FLUX_SVG_COUNT, "%llu %%", (unsigned long long)value);
    else
        snprintf(text, FLUX_SVG_COUNT, "%llu.%0*llu %%", (unsigned long long)(value / (scale / 100)), (int)decimals,
                 (unsigned long long)(value % (scale / 100)));
    return text;
}
