// Distances of pairs of convex bodies along their motion, by Coal's GJK and EPA: a rival of the
// benchmark.
//
// Does the work of Coal's `distance` for two convex bodies, without its dispatch by type. All pairs
// share one solver. Each pair stores the direction and the support vertices of its last query, from
// which Coal starts warm. Contact points are those of Coal's patches: `computeContactPatch` finds
// them after `collide`.

#include <coal/config.hh>
#include <coal/contact_patch/contact_patch_solver.h>
#include <coal/data_types.h>
#include <coal/narrowphase/narrowphase.h>
#include <coal/shape/convex.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace
{

using Body = coal::Convex<coal::Triangle>;

// The start of a pair's next query.
struct Guess {
    coal::Vec3s direction;
    coal::support_func_guess_t vertices;
};

const Guess COLD = {coal::Vec3s(1, 0, 0), coal::support_func_guess_t::Zero()};

struct Stream {
    std::vector<std::unique_ptr<Body>> shapes;
    std::vector<const Body *> bodies;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::vector<coal::Transform3s> poses; // poses of all bodies, step by step
    std::vector<Guess> guesses;           // one for each pair
    coal::GJKSolver solver;
    coal::ContactPatchSolver patch_solver;
    coal::ContactPatch patch;
};

// The result of one query.
struct Link {
    double distance; // negative if the bodies overlap
    coal::Vec3s p, q, normal;
};

std::unique_ptr<Body> make_shape(const double *vertices, std::size_t vertex_count,
                                 const std::size_t *triangles, std::size_t triangle_count)
{
    auto points = std::make_shared<std::vector<coal::Vec3s>>();
    for (std::size_t k = 0; k < vertex_count; k++) {
        points->emplace_back(vertices[3 * k], vertices[3 * k + 1], vertices[3 * k + 2]);
    }
    auto facets = std::make_shared<std::vector<coal::Triangle>>();
    for (std::size_t k = 0; k < triangle_count; k++) {
        facets->emplace_back(triangles[3 * k], triangles[3 * k + 1], triangles[3 * k + 2]);
    }
    return std::make_unique<Body>(points, static_cast<unsigned>(vertex_count), facets,
                                  static_cast<unsigned>(triangle_count));
}

Link find(Stream &stream, std::size_t pair, const coal::Transform3s *poses)
{
    const auto [i, j] = stream.pairs[pair];
    Guess &guess = stream.guesses[pair];
    coal::GJKSolver &solver = stream.solver;
    solver.cached_guess = guess.direction;
    solver.support_func_cached_guess = guess.vertices;
    Link link;
    const coal::ConvexBase &a = *stream.bodies[i], &b = *stream.bodies[j];
    link.distance =
        solver.shapeDistance(a, poses[i], b, poses[j], true, link.p, link.q, link.normal);
    guess = {solver.cached_guess, solver.support_func_cached_guess};
    return link;
}

void find_patch(Stream &stream, std::size_t pair, const coal::Transform3s *poses, const Link &link)
{
    const auto [i, j] = stream.pairs[pair];
    const coal::ConvexBase &a = *stream.bodies[i], &b = *stream.bodies[j];
    const coal::Contact contact(&a, &b, coal::Contact::NONE, coal::Contact::NONE, link.p, link.q,
                                link.normal, link.distance);
    stream.patch_solver.setSupportGuess(stream.guesses[pair].vertices);
    stream.patch_solver.computePatch(a, poses[i], b, poses[j], contact, stream.patch);
}

const coal::Transform3s *poses_of(const Stream &stream, std::size_t step)
{
    return &stream.poses[step * stream.bodies.size()];
}

} // namespace

extern "C" {

Stream *stream_new()
{
    Stream *stream = new Stream;
    stream->solver.gjk_initial_guess = coal::GJKInitialGuess::CachedGuess;
    stream->solver.gjk_convergence_criterion_type = coal::GJKConvergenceCriterionType::Relative;
    return stream;
}

void stream_add_shape(Stream *stream, const double *vertices, std::size_t vertex_count,
                      const std::size_t *triangles, std::size_t triangle_count)
{
    stream->shapes.push_back(make_shape(vertices, vertex_count, triangles, triangle_count));
}

void stream_set_bodies(Stream *stream, const std::size_t *shapes, std::size_t body_count,
                       const std::size_t *pairs, std::size_t pair_count)
{
    for (std::size_t k = 0; k < body_count; k++) {
        stream->bodies.push_back(stream->shapes[shapes[k]].get());
    }
    for (std::size_t k = 0; k < pair_count; k++) {
        stream->pairs.emplace_back(pairs[2 * k], pairs[2 * k + 1]);
    }
    stream->guesses.assign(pair_count, COLD);
}

// Sets the poses of all bodies, step by step: positions, and rotations as 3 x 3, by rows.
void stream_add_poses(Stream *stream, const double *positions, const double *rotations,
                      std::size_t count)
{
    using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    for (std::size_t k = 0; k < count; k++) {
        const coal::Matrix3s rotation = Eigen::Map<const Rows>(rotations + 9 * k);
        const coal::Vec3s position = Eigen::Map<const coal::Vec3s>(positions + 3 * k);
        stream->poses.emplace_back(rotation, position);
    }
}

void stream_free(Stream *stream)
{
    delete stream;
}

// Resets all guesses, so that the next queries start cold.
void stream_cool(Stream *stream)
{
    stream->guesses.assign(stream->pairs.size(), COLD);
}

// Computes the distances of all pairs in one step, starting from the results of the last step.
void stream_distances(Stream *stream, std::size_t step, double *distances)
{
    const coal::Transform3s *poses = poses_of(*stream, step);
    for (std::size_t pair = 0; pair < stream->pairs.size(); pair++) {
        distances[pair] = find(*stream, pair, poses).distance;
    }
}

// Computes distances and contact points of all pairs; returns the number of points.
std::size_t stream_patches(Stream *stream, std::size_t step, double *distances)
{
    const coal::Transform3s *poses = poses_of(*stream, step);
    std::size_t count = 0;
    for (std::size_t pair = 0; pair < stream->pairs.size(); pair++) {
        const Link link = find(*stream, pair, poses);
        distances[pair] = link.distance;
        find_patch(*stream, pair, poses, link);
        count += stream->patch.size();
    }
    return count;
}

const char *coal_version()
{
    return COAL_VERSION;
}
}
