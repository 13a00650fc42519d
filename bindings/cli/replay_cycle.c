/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_cycle.c - what flux-ocs replay runs instead of a schedule.
 */
#include "cli.h"

const char *replay_cycle_name(const struct settings *settings)
{
    static const char *const names[] = {NULL,        "rotor-direct",        "rotor-direct-staggered",
                                        "rotor-vlb", "rotor-vlb-staggered", "packet"};

    return names[settings->cycle];
}

char *replay_cycle_describe(const struct settings *settings, char *text, size_t size)
{
    if (settings->cycle != REPLAY_PACKET)
        snprintf(text, size, "%s, duty %.6g %%", replay_cycle_name(settings), (double)settings->duty_ppm / 1e4);
    else if (settings->planes == 1)
        snprintf(text, size, "packet");
    else
        snprintf(text, size, "packet, %u planes of which %u failed, %s", settings->planes, settings->failed_planes,
                 settings->spread == FLUX_PACKET_HASH ? "a send on one" : "sends over all");
    return text;
}

int replay_cycle_make(const struct settings *settings, const struct input *input, struct flux_replay **replay)
{
    struct flux_rotor_options rotor = FLUX_ROTOR_OPTIONS_INIT;
    struct flux_packet_options packet = FLUX_PACKET_OPTIONS_INIT;
    struct flux_error error = {0};
    int vlb = settings->cycle == REPLAY_ROTOR_VLB || settings->cycle == REPLAY_ROTOR_VLB_STAGGERED;
    int staggered = settings->cycle == REPLAY_ROTOR_DIRECT_STAGGERED || settings->cycle == REPLAY_ROTOR_VLB_STAGGERED;
    int rc;

    if (settings->operand_count > 1)
        return report_usage(settings->command, "--cycle %s runs without a schedule: leave out %s",
                            replay_cycle_name(settings), settings->operands[1]);
    if (settings->duty_ppm == 0 || settings->duty_ppm >= FLUX_PPM)
        return report_usage(settings->command, "--duty is above 0%% and below 100%%");
    if (settings->failed_planes >= settings->planes)
        return report_usage(settings->command, "--failed-planes %u of --planes %u leaves none", settings->failed_planes,
                            settings->planes);
    rotor.duty_ppm = settings->duty_ppm;
    rotor.routing = vlb ? FLUX_ROTOR_VLB : FLUX_ROTOR_DIRECT;
    rotor.phase = staggered ? FLUX_ROTOR_STAGGERED : FLUX_ROTOR_ALIGNED;
    packet.planes = settings->planes;
    packet.failed = settings->failed_planes;
    packet.spread = settings->spread;
    if (settings->cycle == REPLAY_PACKET)
        rc = flux_replay_new_packet(input->graph, input->fabric, &packet, replay, &error);
    else
        rc = flux_replay_new_rotor(input->graph, input->fabric, &rotor, replay, &error);
    return rc ? report_failure(settings->operands[0], &error) : 0;
}
