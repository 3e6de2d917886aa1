#include "models/product_inputs.hpp"

#include "matrix/lasting.hpp"
#include "matrix/types.hpp"

#include <algorithm>
#include <cmath>

namespace sptune::models {
namespace {

double log2_of(double value) {
    return std::log2(std::max(value, 1e-9));
}

/// Calls put(name, number) for each input, in order.
template <class Put>
void visit_inputs(const ProductFeatures& p, const db::Device& device, ValueType type, Put put) {
    const double value = type == ValueType::f64 ? 8 : 4, entry = value + sizeof(index_t);
    const double rows = std::max(static_cast<double>(p.rows), 1.0);
    const double inner = std::max(static_cast<double>(p.inner), 1.0);
    const double cols = std::max(static_cast<double>(p.cols), 1.0);
    const auto a = static_cast<double>(p.a_entries), b = static_cast<double>(p.b_entries);
    const auto products = static_cast<double>(p.products);
    const auto longest = static_cast<double>(p.longest_row);
    const double mean = products / rows, c_row = p.estimated_entries / rows;
    const double threads = std::max(device.threads, 1);
    const double cache = std::max(static_cast<double>(device.llc_bytes), 1.0);

    put("value_bytes", value);
    put("rows", log2_of(rows));
    put("inner", log2_of(inner));
    put("cols", log2_of(cols));
    put("a_entries", log2_of(a));
    put("b_entries", log2_of(b));
    put("a_row", log2_of(a / rows));
    put("b_row", log2_of(b / inner));
    put("products", log2_of(products));
    put("products_per_row", log2_of(mean));
    put("products_cv", p.products_cv);
    put("longest_row", log2_of(longest));
    put("longest_over_mean", log2_of(mean > 0 ? longest / mean : 1));
    put("longest_of_cols", log2_of(longest / cols));
    put("compression", log2_of(p.compression));
    put("c_entries", log2_of(p.estimated_entries));
    put("c_row", log2_of(c_row));
    put("c_density", log2_of(c_row / cols));
    put("upper_share", products > 0 ? static_cast<double>(p.upper_entries) / products : 1);
    put("threads", log2_of(threads));
    put("rows_per_thread", log2_of(rows / threads));
    put("products_per_thread", log2_of(products / threads));
    put("cache", log2_of(cache));
    put("b_in_cache", log2_of(b * entry / cache));
    put("c_in_cache", log2_of(p.estimated_entries * entry / cache));
    put("accumulators_in_cache", log2_of(cols * value * threads / cache));
}

}  // namespace

const std::vector<std::string>& product_input_names() {
    static const auto& names = lasting([] {
        std::vector<std::string> list;
        visit_inputs({}, {}, ValueType::f64,
                     [&](const char* name, double) { list.emplace_back(name); });
        return list;
    });
    return names;
}

std::vector<float> product_inputs(const ProductFeatures& p, const db::Device& device,
                                  ValueType value) {
    std::vector<float> row;
    row.reserve(product_input_names().size());
    visit_inputs(p, device, value, [&](const char*, double number) {
        row.push_back(std::isfinite(number) ? static_cast<float>(number) : 0.0f);
    });
    return row;
}

}  // namespace sptune::models
