// Numbers that follow a gradient: Adam (Kingma, Ba, ICLR 2015) with decoupled weight decay
// (Loshchilov, Hutter, ICLR 2019).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sptune::models {

struct Learned {
    std::vector<float> value, gradient, first, second;
    explicit Learned(std::size_t size) : value(size), gradient(size), first(size), second(size) {}

    /// One step against the gradient, which is 0 then; `time` counts steps from 1.
    void step(double rate, double decay, int time) {
        constexpr float kFirst = 0.9f, kSecond = 0.999f, kEpsilon = 1e-8f;
        const auto first_share = static_cast<float>(1 - std::pow(double{kFirst}, time));
        const auto second_share = static_cast<float>(1 - std::pow(double{kSecond}, time));
        const auto by = static_cast<float>(rate), shrink = static_cast<float>(decay);
        for (std::size_t i = 0; i < value.size(); ++i) {
            first[i] = kFirst * first[i] + (1 - kFirst) * gradient[i];
            second[i] = kSecond * second[i] + (1 - kSecond) * gradient[i] * gradient[i];
            const float change =
                first[i] / first_share / (std::sqrt(second[i] / second_share) + kEpsilon);
            value[i] -= by * (change + shrink * value[i]);
        }
        std::fill(gradient.begin(), gradient.end(), 0.0f);
    }
};

}  // namespace sptune::models
