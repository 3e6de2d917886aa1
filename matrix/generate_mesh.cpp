// Stencils and finite-element-like blocks on 1-, 2- and 3-D meshes.
#include "matrix/generate_rows.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace sptune {
namespace {

/// Neighbours on an nx × ny × nz mesh, x fastest, `dof` unknowns per node, coupled densely.
/// Box: all 3^d neighbours; otherwise those along an axis.
class Mesh : public RowSource {
  public:
    Mesh(std::array<std::int64_t, 3> size, bool box, index_t dof)
        : size_(size), box_(box), dof_(dof) {
        rows = cols = static_cast<index_t>(size[0] * size[1] * size[2] * dof);
    }

    std::int64_t bound() const override {
        std::int64_t neighbours = 1;
        for (const auto n : size_)
            if (n > 1) box_ ? neighbours *= 3 : neighbours += 2;
        return neighbours * dof_ * rows;
    }

    std::int64_t count(index_t row, std::vector<index_t>&) const override {
        const Window w = window(row);
        std::int64_t box = 1, cross = 1;
        for (int d = 0; d < 3; ++d) {
            box *= w.last[d] - w.first[d] + 1;
            cross += w.last[d] - w.first[d];
        }
        return (box_ ? box : cross) * dof_;
    }

    void columns(index_t row, std::vector<index_t>& out) const override {
        const Window w = window(row);
        for (std::int64_t z = w.first[2]; z <= w.last[2]; ++z)
            for (std::int64_t y = w.first[1]; y <= w.last[1]; ++y)
                for (std::int64_t x = w.first[0]; x <= w.last[0]; ++x) {
                    const int moved = (z != w.at[2]) + (y != w.at[1]) + (x != w.at[0]);
                    if (!box_ && moved > 1) continue;
                    const std::int64_t first = ((z * size_[1] + y) * size_[0] + x) * dof_;
                    for (index_t k = 0; k < dof_; ++k)
                        out.push_back(static_cast<index_t>(first) + k);
                }
    }

  private:
    struct Window {
        std::array<std::int64_t, 3> at, first, last;
    };
    Window window(index_t row) const {
        Window w;
        std::int64_t rest = row / dof_;
        for (int d = 0; d < 3; ++d) {
            w.at[d] = rest % size_[d];
            rest /= size_[d];
            w.first[d] = std::max<std::int64_t>(0, w.at[d] - 1);
            w.last[d] = std::min(size_[d] - 1, w.at[d] + 1);
        }
        return w;
    }

    std::array<std::int64_t, 3> size_;
    bool box_;
    index_t dof_;
};

/// Largest r ≥ 1 with r^k ≤ n, or 1.
std::int64_t integer_root(std::int64_t n, int k) {
    std::int64_t low = 1, high = n + 1;
    while (low + 1 < high) {
        const std::int64_t middle = low + (high - low) / 2;
        std::int64_t rest = n;
        for (int i = 0; i < k; ++i) rest /= middle;
        (rest >= 1 ? low : high) = middle;
    }
    return low;
}

/// The extents that were given, and for the others a mesh as close to a cube as `rows` allows.
std::array<std::int64_t, 3> mesh_size(const Parameters& p, int dimensions, std::int64_t dof) {
    constexpr std::array<std::string_view, 3> names{"nx", "ny", "nz"};
    std::array<std::int64_t, 3> size{1, 1, 1};
    std::int64_t product = dof;
    int open = 0;
    for (int d = 0; d < dimensions; ++d) {
        size[d] = p.integer(names[d], 0, kMaxDimension);
        if (size[d] == 0) ++open;
        if (size[d] > 0 && (product *= size[d]) > kMaxDimension)
            throw UsageError(fmt::format("generate {}: the mesh has {} rows and more; at most {}",
                                         p.family(), product, kMaxDimension));
    }
    if (open == 0 && p.given("rows") && p.rows() != product)
        throw UsageError(
            fmt::format("generate {}: rows = {} contradicts a mesh of {} rows; leave "
                        "out rows or an extent",
                        p.family(), p.rows(), product));
    std::int64_t nodes = std::max<std::int64_t>(1, p.rows() / product);
    for (int d = 0; d < dimensions; ++d) {
        if (size[d] > 0) continue;
        size[d] = integer_root(nodes, open--);
        nodes = (nodes + size[d] / 2) / size[d];
    }
    // Each extent is less than 2^31 and they come close to p.rows(), so that this does not
    // overflow.
    const std::int64_t rows = size[0] * size[1] * size[2] * dof;
    if (rows > kMaxDimension)
        throw UsageError(
            fmt::format("generate {}: the nearest mesh to rows = {} has {}; at most {}", p.family(),
                        p.rows(), rows, kMaxDimension));
    return size;
}

template <int kDimensions, bool kBox>
std::unique_ptr<RowSource> make_stencil(const Parameters& p) {
    auto mesh = std::make_unique<Mesh>(mesh_size(p, kDimensions, 1), kBox, 1);
    int neighbours = kBox ? -1 : 2 * kDimensions;
    if (kBox) neighbours += kDimensions == 2 ? 9 : 27;
    mesh->rule = {.diagonal = static_cast<double>(neighbours), .off_diagonal = -1};
    return mesh;
}

std::unique_ptr<RowSource> make_fem(const Parameters& p) {
    const auto dof = static_cast<index_t>(p.integer("dof", 1, 64));
    auto mesh = std::make_unique<Mesh>(mesh_size(p, 3, dof), true, dof);
    // Dominant, so that the matrix is symmetric positive definite.
    mesh->rule = {.diagonal = 27.0 * dof, .symmetric = true};
    return mesh;
}

constexpr FamilyParameter kRows{"rows", "rows, where the mesh is not given; the nearest that fits",
                                1000};
constexpr FamilyParameter kX{"nx", "mesh points in x; 0: from rows", 0};
constexpr FamilyParameter kY{"ny", "mesh points in y; 0: from rows", 0};
constexpr FamilyParameter kZ{"nz", "mesh points in z; 0: from rows", 0};
constexpr FamilyParameter kLine[] = {kRows, kX};
constexpr FamilyParameter kPlane[] = {kRows, kX, kY};
constexpr FamilyParameter kSpace[] = {kRows, kX, kY, kZ};
constexpr FamilyParameter kFem[] = {kRows,
                                    kX,
                                    kY,
                                    {"nz", "mesh points in z; 1: a plane mesh; 0: from rows", 0},
                                    {"dof", "unknowns per node: the block size", 3}};

constexpr FamilyMaker kFamilies[] = {
    {{"stencil-1d-3", "3-point Laplacian on a line", kLine}, make_stencil<1, false>},
    {{"stencil-2d-5", "5-point Laplacian on a rectangle", kPlane}, make_stencil<2, false>},
    {{"stencil-2d-9", "9-point stencil on a rectangle", kPlane}, make_stencil<2, true>},
    {{"stencil-3d-7", "7-point Laplacian on a box", kSpace}, make_stencil<3, false>},
    {{"stencil-3d-27", "27-point stencil on a box", kSpace}, make_stencil<3, true>},
    {{"fem", "dense dof × dof blocks for all neighbours on a mesh, positive definite", kFem},
     make_fem},
};

}  // namespace

std::span<const FamilyMaker> mesh_families() {
    return kFamilies;
}

}  // namespace sptune
