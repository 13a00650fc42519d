/* SPDX-License-Identifier: Apache-2.0 */
#include "io/fail.h"
#include "io/workload/workload.h"

#include <inttypes.h>
#include <stdlib.h>

/* A send or a receive with its key and its place in the order of its rank. */
struct post {
    uint32_t src;
    uint32_t dst;
    uint32_t tag;
    uint32_t node;
    uint64_t turn;
};

static int compare(const void *left, const void *right)
{
    const struct post *a = left;
    const struct post *b = right;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->turn < b->turn ? -1 : a->turn > b->turn;
}

/* By key alone. */
static int compare_keys(const struct post *a, const struct post *b)
{
    struct post left = *a;
    struct post right = *b;
    left.turn = right.turn = 0;
    return compare(&left, &right);
}

struct posts {
    struct flux_io_workload *workload;
    struct flux_error *error;
    struct post *sends;
    struct post *recvs;
    uint64_t send_count;
    uint64_t recv_count;
};

static int fail_peer(const struct posts *posts, uint32_t rank, uint32_t node)
{
    char room[FLUX_IO_NODE_TEXT];
    const struct flux_io_workload *workload = posts->workload;
    const struct flux_io_node *at = &workload->ranks[rank]->nodes[node];
    flux_io_node_text(workload, rank, node, room);
    if (at->peer == rank)
        return flux_io_workload_fail(workload, rank, at->place, posts->error, FLUX_E_FORMAT,
                                     "%s %s its own rank; no circuit leads from a GPU to itself", room,
                                     at->kind == FLUX_IO_SEND ? "sends to" : "receives from");
    return flux_io_workload_fail(workload, rank, at->place, posts->error, FLUX_E_FORMAT,
                                 "%s %s rank %" PRIu32 ", and the ranks are 0 .. %" PRIu32, room,
                                 at->kind == FLUX_IO_SEND ? "sends to" : "receives from", at->peer,
                                 workload->rank_count - 1);
}

static int collect(struct posts *posts)
{
    uint64_t sends = 0;
    uint64_t recvs = 0;
    for (uint32_t r = 0; r < posts->workload->rank_count; r++) {
        const struct flux_io_rank *rank = posts->workload->ranks[r];
        for (uint64_t i = 0; i < rank->node_count; i++) {
            uint32_t at = rank->order[i];
            const struct flux_io_node *node = &rank->nodes[at];
            if (node->kind != FLUX_IO_SEND && node->kind != FLUX_IO_RECV)
                continue;
            if ((node->peer == r && posts->workload->nics == 1) || node->peer >= posts->workload->rank_count)
                return fail_peer(posts, r, at);
            if (node->kind == FLUX_IO_SEND)
                posts->sends[sends++] = (struct post){r, node->peer, node->key, at, i};
            else
                posts->recvs[recvs++] = (struct post){node->peer, r, node->key, at, i};
        }
    }
    return FLUX_OK;
}

static int fail_alone(const struct posts *posts, const struct post *post, int is_send)
{
    char room[FLUX_IO_NODE_TEXT];
    const struct flux_io_workload *workload = posts->workload;
    uint32_t rank = is_send ? post->src : post->dst;
    return flux_io_workload_fail(workload, rank, workload->ranks[rank]->nodes[post->node].place, posts->error,
                                 FLUX_E_FORMAT, "%s %s rank %" PRIu32 " with tag %" PRIu32 ", which has no %s for it",
                                 flux_io_node_text(workload, rank, post->node, room),
                                 is_send ? "sends to" : "receives from", is_send ? post->dst : post->src, post->tag,
                                 is_send ? "receive" : "send");
}

static int pair(const struct posts *posts, const struct post *send, const struct post *recv,
                struct flux_io_message *message)
{
    const struct flux_io_workload *workload = posts->workload;
    const struct flux_io_node *from = &workload->ranks[send->src]->nodes[send->node];
    const struct flux_io_node *to = &workload->ranks[send->dst]->nodes[recv->node];
    char room[2][FLUX_IO_NODE_TEXT];
    *message = (struct flux_io_message){send->src, send->dst, send->node, recv->node};
    if (send->src == send->dst && from->nic == to->nic)
        return fail_peer(posts, send->src, send->node);
    if (to->amount == from->amount || to->amount == FLUX_IO_SIZE_UNKNOWN)
        return FLUX_OK;
    return flux_io_fail_path(posts->error, FLUX_E_FORMAT, workload->path,
                             "%s sends %" PRIu64 " bytes and %s, its receive, expects %" PRIu64,
                             flux_io_node_text(workload, send->src, send->node, room[0]), from->amount,
                             flux_io_node_text(workload, send->dst, recv->node, room[1]), to->amount);
}

/* The k-th send of a key belongs to the k-th receive of that key. */
static int match(struct posts *posts)
{
    uint64_t s = 0;
    uint64_t r = 0;
    while (s < posts->send_count || r < posts->recv_count) {
        int side = s == posts->send_count   ? 1
                   : r == posts->recv_count ? -1
                                            : compare_keys(&posts->sends[s], &posts->recvs[r]);
        if (side)
            return fail_alone(posts, side < 0 ? &posts->sends[s] : &posts->recvs[r], side < 0);
        int rc = pair(posts, &posts->sends[s], &posts->recvs[r], &posts->workload->messages[s]);
        if (rc)
            return rc;
        s++;
        r++;
    }
    return FLUX_OK;
}

int flux_io_match_messages(struct flux_io_workload *workload, struct flux_error *error)
{
    const struct flux_io_memory *memory = workload->memory;
    struct posts posts = {workload, error, NULL, NULL, 0, 0};
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        const struct flux_io_rank *rank = workload->ranks[r];
        for (uint64_t i = 0; i < rank->node_count; i++) {
            posts.send_count += rank->nodes[i].kind == FLUX_IO_SEND;
            posts.recv_count += rank->nodes[i].kind == FLUX_IO_RECV;
        }
    }
    posts.sends = flux_io_alloc(memory, posts.send_count, sizeof *posts.sends);
    posts.recvs = flux_io_alloc(memory, posts.recv_count, sizeof *posts.recvs);
    workload->messages = flux_io_alloc(memory, posts.send_count, sizeof *workload->messages);
    int rc = posts.sends && posts.recvs && workload->messages ? FLUX_OK : flux_io_fail_memory(error);
    workload->message_count = workload->messages ? posts.send_count : 0;
    if (!rc)
        rc = collect(&posts);
    if (!rc) {
        qsort(posts.sends, (size_t)posts.send_count, sizeof *posts.sends, compare);
        qsort(posts.recvs, (size_t)posts.recv_count, sizeof *posts.recvs, compare);
        rc = match(&posts);
    }
    flux_io_release(memory, posts.sends, posts.send_count, sizeof *posts.sends);
    flux_io_release(memory, posts.recvs, posts.recv_count, sizeof *posts.recvs);
    return rc;
}
