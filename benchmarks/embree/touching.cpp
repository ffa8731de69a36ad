// All facets that each sphere touches, by Embree's point query: a rival of the benchmark.
//
// Embree traverses its tree of boxes and calls `visit` for every triangle in the leaves it reaches.
// `visit` computes the distance in double precision and stores the triangle's number if the sphere
// touches it. It keeps the query's radius, because a smaller one would miss other triangles.

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

constexpr std::size_t CHUNK = 4096; // spheres in each chunk of a thread's work

struct Vec3 {
    double x, y, z;
};

struct Triangle {
    Vec3 a, ab, ac;
};

struct Tree {
    RTCDevice device;
    RTCScene scene;
    double build_seconds; // seconds of Embree's commit alone
    float slack;          // largest error of a distance by rounding to single precision
    std::vector<Triangle> triangles;
    std::vector<std::vector<std::uint32_t>> found; // one array per thread, reused by queries
    std::vector<std::uint32_t> counts;             // triangles that each sphere touches
};

struct Sphere {
    Vec3 center;
    double radius_sq;
    const Triangle *triangles;
    std::vector<std::uint32_t> *found;
};

Vec3 operator-(Vec3 a, Vec3 b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

Vec3 operator*(double s, Vec3 a)
{
    return {s * a.x, s * a.y, s * a.z};
}

double dot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double square(Vec3 a)
{
    return dot(a, a);
}

// Returns the squared distance, by the regions of C. Ericson, Real-Time Collision Detection, 5.1.5.
double distance_sq(const Triangle &t, Vec3 p)
{
    const Vec3 ap = p - t.a;
    const double d1 = dot(t.ab, ap), d2 = dot(t.ac, ap);
    if (d1 <= 0 && d2 <= 0) {
        return square(ap);
    }
    const Vec3 bp = ap - t.ab;
    const double d3 = dot(t.ab, bp), d4 = dot(t.ac, bp);
    if (d3 >= 0 && d4 <= d3) {
        return square(bp);
    }
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        return square(ap - d1 / (d1 - d3) * t.ab);
    }
    const Vec3 cp = ap - t.ac;
    const double d5 = dot(t.ab, cp), d6 = dot(t.ac, cp);
    if (d6 >= 0 && d5 <= d6) {
        return square(cp);
    }
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        return square(ap - d2 / (d2 - d6) * t.ac);
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 >= d3 && d5 >= d6) {
        const double along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return square(bp - along * (t.ac - t.ab));
    }
    const double scale = 1 / (va + vb + vc);
    return square(ap - vb * scale * t.ab - vc * scale * t.ac);
}

bool visit(RTCPointQueryFunctionArguments *arguments)
{
    const Sphere &sphere = *static_cast<const Sphere *>(arguments->userPtr);
    if (distance_sq(sphere.triangles[arguments->primID], sphere.center) <= sphere.radius_sq) {
        sphere.found->push_back(arguments->primID);
    }
    return false; // the radius is unchanged
}

void query(Tree &tree, const double *center, double radius, std::vector<std::uint32_t> &found)
{
    Sphere sphere = {
        {center[0], center[1], center[2]}, radius * radius, tree.triangles.data(), &found};
    RTCPointQuery point;
    point.x = static_cast<float>(center[0]);
    point.y = static_cast<float>(center[1]);
    point.z = static_cast<float>(center[2]);
    point.time = 0;
    point.radius = static_cast<float>(radius) + tree.slack;
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(tree.scene, &point, &context, visit, &sphere);
}

void add_triangles(Tree &tree, const double *vertices, std::size_t vertex_count,
                   const std::uint32_t *facets, std::size_t facet_count)
{
    RTCGeometry geometry = rtcNewGeometry(tree.device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto *positions = static_cast<float *>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), vertex_count));
    std::copy(vertices, vertices + 3 * vertex_count, positions);
    auto *corners = static_cast<std::uint32_t *>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                3 * sizeof(std::uint32_t), facet_count));
    std::copy(facets, facets + 3 * facet_count, corners);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(tree.scene, geometry);
    rtcReleaseGeometry(geometry);
}

// Returns the corners in double precision, for the exact distance.
void note_triangles(Tree &tree, const double *vertices, const std::uint32_t *facets,
                    std::size_t facet_count)
{
    const auto vertex = [&](std::uint32_t n) {
        return Vec3{vertices[3 * n], vertices[3 * n + 1], vertices[3 * n + 2]};
    };
    for (std::size_t k = 0; k < facet_count; k++) {
        const Vec3 a = vertex(facets[3 * k]);
        tree.triangles.push_back({a, vertex(facets[3 * k + 1]) - a, vertex(facets[3 * k + 2]) - a});
    }
}

} // namespace

extern "C" {

Tree *tree_build(const double *vertices, std::size_t vertex_count, const std::uint32_t *facets,
                 std::size_t facet_count, int thread_count)
{
    Tree *tree = new Tree{};
    tree->device = rtcNewDevice(("threads=" + std::to_string(thread_count)).c_str());
    tree->scene = rtcNewScene(tree->device);
    add_triangles(*tree, vertices, vertex_count, facets, facet_count);
    note_triangles(*tree, vertices, facets, facet_count);
    double largest = 0;
    for (std::size_t k = 0; k < 3 * vertex_count; k++) {
        largest = std::max(largest, std::abs(vertices[k]));
    }
    tree->slack = static_cast<float>(std::ldexp(largest, -21)); // four roundings to single precision
    const auto begin = std::chrono::steady_clock::now();
    rtcCommitScene(tree->scene);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    tree->build_seconds = elapsed.count();
    return tree;
}

double tree_build_seconds(const Tree *tree)
{
    return tree->build_seconds;
}

int tree_version()
{
    return RTC_VERSION;
}

void tree_free(Tree *tree)
{
    rtcReleaseScene(tree->scene);
    rtcReleaseDevice(tree->device);
    delete tree;
}

// Returns the number of touching pairs. The tree keeps their triangles until the next search.
std::size_t tree_search(Tree *tree, const double *centers, const double *radii, std::size_t count,
                        int thread_count)
{
    tree->found.resize(static_cast<std::size_t>(thread_count));
    tree->counts.resize(count);
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::vector<std::uint32_t> &own) {
        // a local copy, because neighbors in the tree's array share a cache line
        std::vector<std::uint32_t> found = std::move(own);
        found.clear(); // keeps its memory
        for (std::size_t begin; (begin = next.fetch_add(CHUNK)) < count;) {
            for (std::size_t i = begin; i < std::min(begin + CHUNK, count); i++) {
                const std::size_t before = found.size();
                query(*tree, centers + 3 * i, radii[i], found);
                tree->counts[i] = static_cast<std::uint32_t>(found.size() - before);
            }
        }
        own = std::move(found);
    };
    std::vector<std::thread> helpers;
    for (std::size_t k = 1; k < tree->found.size(); k++) {
        helpers.emplace_back(work, std::ref(tree->found[k]));
    }
    work(tree->found[0]);
    std::size_t total = tree->found[0].size();
    for (std::size_t k = 1; k < tree->found.size(); k++) {
        helpers[k - 1].join();
        total += tree->found[k].size();
    }
    return total;
}

// Returns how many triangles each sphere of the last search touches.
const std::uint32_t *tree_counts(const Tree *tree)
{
    return tree->counts.data();
}
}
