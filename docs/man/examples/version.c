/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/version.h>
#include <stdio.h>

int main(void)
{
    printf("libflux %s%s\n", flux_version_text(),
           flux_capabilities() & FLUX_CAPABILITY_GLPK ? ", with GLPK" : "");
    return flux_version() < FLUX_VERSION_NUMBER(0, 1, 0);
}
