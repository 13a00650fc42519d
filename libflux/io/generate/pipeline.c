/* SPDX-License-Identifier: Apache-2.0
 *
 * In which order a GPU runs its micro-batches: one forward, one backward (Narayanan et al., 2021, arXiv:2104.04473,
 * section 2.2), with several parts of the model on each stage where it is interleaved.
 */
#include "io/generate/cost.h"
#include "io/generate/rank.h"

#define NOTHING UINT64_MAX

/* The step-th forward, or backward, of a stage. */
struct turn {
    uint32_t part;
    uint32_t micro_batch;
};

static struct turn turn_of(const struct flux_io_plan *plan, uint32_t step, int backward)
{
    uint32_t round = plan->pp * plan->interleave;
    struct turn turn = {0, step};
    if (plan->interleave == 1)
        return turn;
    turn.part = step % round / plan->pp;
    turn.micro_batch = step / round * plan->pp + step % plan->pp;
    if (backward)
        turn.part = plan->interleave - 1 - turn.part;
    return turn;
}

/* The GPU of the same place, `hops` stages on. */
static uint32_t neighbour(const struct flux_io_generator *to, int forward)
{
    const struct flux_io_plan *plan = to->plan;
    uint32_t stage = forward ? (to->stage + 1) % plan->pp : (to->stage + plan->pp - 1) % plan->pp;
    return to->rank % plan->stage_gpus + stage * plan->stage_gpus;
}

/* One for each boundary, micro-batch and direction of an iteration; those of other iterations follow in order. */
static uint32_t tag_of(const struct flux_io_generator *to, uint32_t boundary, int backward)
{
    const struct flux_io_plan *plan = to->plan;
    uint32_t boundaries = plan->pp * plan->interleave;
    return UINT32_C(0x80000000) |
           (((to->micro_batch * boundaries + boundary) * 2 + (uint32_t)backward) & UINT32_C(0x7fffffff));
}

static uint64_t boundary_bytes(const struct flux_io_plan *plan)
{
    return plan->split * plan->model->hidden * FLUX_IO_ELEMENT;
}

/* Stages and parts in the order of layers: where this turn is. */
static uint32_t position(const struct flux_io_generator *to, const struct turn *turn)
{
    return turn->part * to->plan->pp + to->stage;
}

static void arrive(struct flux_io_generator *to, uint32_t boundary, int backward, uint64_t start)
{
    if (to->failed)
        return;
    to->front = boundary == FLUX_NONE
                    ? start
                    : flux_io_generate_receive(to, neighbour(to, backward), tag_of(to, boundary, backward),
                                               boundary_bytes(to->plan), backward ? "pipeline.back" : "pipeline");
}

static void depart(struct flux_io_generator *to, uint32_t boundary, int backward)
{
    flux_io_generate_join(to, "stage");
    (void)flux_io_generate_send(to, neighbour(to, !backward), tag_of(to, boundary, backward), boundary_bytes(to->plan),
                                backward ? "pipeline.back" : "pipeline");
}

/* Layers of a turn, first to last or last to first, each with its weights where they are gathered. */
static void run_layers(struct flux_io_generator *to, uint32_t first, int backward)
{
    const struct flux_io_plan *plan = to->plan;
    uint32_t count = plan->chunk_layers;
    uint64_t weights = flux_io_generate_weights(to, backward ? first + count - 1 : first);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t layer = backward ? first + count - 1 - i : first + i;
        uint32_t next = backward ? layer - 1 : layer + 1;
        uint64_t ahead = i + 1 < count ? flux_io_generate_weights(to, next) : NOTHING;
        flux_io_generate_also(to, weights);
        if (backward) {
            flux_io_generate_backward(to, layer);
            flux_io_generate_gradients(to, layer);
        } else {
            flux_io_generate_forward(to, layer);
        }
        weights = ahead;
    }
}

static void forward(struct flux_io_generator *to, uint32_t step, uint64_t start)
{
    const struct flux_io_plan *plan = to->plan;
    struct turn turn = turn_of(plan, step, 0);
    uint32_t at = position(to, &turn), last = plan->pp * plan->interleave - 1;
    to->micro_batch = turn.micro_batch;
    flux_io_generate_place(to, FLUX_NONE);
    arrive(to, at ? at - 1 : FLUX_NONE, 0, start);
    if (at == 0)
        flux_io_generate_embedding(to);
    run_layers(to, at * plan->chunk_layers, 0);
    flux_io_generate_place(to, FLUX_NONE);
    if (at == last)
        flux_io_generate_head(to);
    else
        depart(to, at, 0);
}

static void backward(struct flux_io_generator *to, uint32_t step)
{
    const struct flux_io_plan *plan = to->plan;
    struct turn turn = turn_of(plan, step, 1);
    uint32_t at = position(to, &turn), last = plan->pp * plan->interleave - 1;
    to->micro_batch = turn.micro_batch;
    flux_io_generate_place(to, FLUX_NONE);
    if (at == last) {
        flux_io_generate_head_back(to);
        if (plan->model->embedding != FLUX_IO_EMBEDDING_TIED || plan->pp > 1)
            flux_io_generate_table_gradients(to, "head.gradients");
    } else {
        arrive(to, at, 1, NOTHING);
    }
    run_layers(to, at * plan->chunk_layers, 1);
    flux_io_generate_place(to, FLUX_NONE);
    if (at == 0) {
        flux_io_generate_join(to, "stage");
        flux_io_generate_embedding_back(to);
        flux_io_generate_table_gradients(to, "embedding.gradients");
    } else {
        depart(to, at - 1, 1);
    }
    if (plan->zero >= 2 || turn.micro_batch == plan->micro_batches - 1)
        flux_io_generate_reduce(to);
}

static uint32_t warm_up(const struct flux_io_plan *plan, uint32_t stage, uint32_t steps)
{
    uint32_t ahead = plan->pp - 1 - stage;
    if (plan->interleave > 1)
        ahead = 2 * ahead + (plan->interleave - 1) * plan->pp;
    return ahead < steps ? ahead : steps;
}

void flux_io_generate_program(struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    uint32_t steps = plan->micro_batches * plan->interleave;
    uint32_t warm = warm_up(plan, to->stage, steps);
    to->compute = to->front = NOTHING;
    for (to->iteration = 0; !to->failed && to->iteration < plan->repeat; to->iteration++) {
        uint64_t start = to->front;
        for (uint32_t step = 0; !to->failed && step < warm; step++)
            forward(to, step, start);
        for (uint32_t step = warm; !to->failed && step < steps; step++) {
            forward(to, step, start);
            backward(to, step - warm);
        }
        for (uint32_t step = steps - warm; !to->failed && step < steps; step++)
            backward(to, step);
        flux_io_generate_optimizer(to);
    }
}
