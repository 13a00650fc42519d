/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/units.h>
#include <stdio.h>

int main(void)
{
    char text[FLUX_UNITS_TEXT];
    struct flux_error error;
    int64_t time;

    if (flux_time_parse("671.08864us", &time, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("%s\n", flux_time_format(2 * time, text, sizeof text));
    return 0;
}
