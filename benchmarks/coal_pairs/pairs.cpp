// Distances of pairs of convex bodies along their motion, by Coal's GJK and EPA: a rival of the
// benchmark.
//
// What Coal's `distance` does for two convex bodies, without finding out each time what they are:
// one solver for all pairs, and of each pair the direction and the support vertices that its last
// query ended with, which is how Coal starts warm. Contact points are those of its patches, as
// `computeContactPatch` finds them after `collide`.

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

// Where the next query of a pair begins.
struct Guess {
    coal::Vec3s direction;
    coal::support_func_guess_t vertices;
};

const Guess COLD = {coal::Vec3s(1, 0, 0), coal::support_func_guess_t::Zero()};

struct Stream {
    std::vector<std::unique_ptr<Body>> shapes;
    std::vector<const Body *> bodies;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::vector<coal::Transform3s> poses; // of all bodies, step by step
    std::vector<Guess> guesses;           // of each pair
    coal::GJKSolver solver;
    coal::ContactPatchSolver patch_solver;
    coal::ContactPatch patch;
};

// What one query finds.
struct Link {
    double distance; // less than 0: they overlap
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

// Poses of all bodies in one step after another: positions, and rotations as 3 x 3, by rows.
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

// Forget what was found.
void stream_cool(Stream *stream)
{
    stream->guesses.assign(stream->pairs.size(), COLD);
}

// The distances of all pairs in one step, from where the last one ended.
void stream_distances(Stream *stream, std::size_t step, double *distances)
{
    const coal::Transform3s *poses = poses_of(*stream, step);
    for (std::size_t pair = 0; pair < stream->pairs.size(); pair++) {
        distances[pair] = find(*stream, pair, poses).distance;
    }
}

// With contact points; returns how many.
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
