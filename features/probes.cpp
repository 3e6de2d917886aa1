// The one list of SELL-C-σ and block sizes that the features report on.
#include "features/features.hpp"
#include "matrix/lasting.hpp"

namespace sptune {

const std::vector<SellProbe>& sell_probes() {
    static const auto& probes = lasting([] {
        std::vector<SellProbe> list;
        for (const int c : {2, 4, 8, 10, 16, 32, 64, 100, 128, 256}) {
            const bool power_of_two = (c & (c - 1)) == 0;
            list.push_back({c, 1});
            list.push_back({c, 2 * c});
            if (power_of_two) list.push_back({c, 8 * c});
            if (power_of_two) list.push_back({c, 4096});
            list.push_back({c, 0});
        }
        return list;
    });
    return probes;
}

const std::vector<BsrProbe>& bsr_probes() {
    static const auto& probes = lasting([] {
        return std::vector<BsrProbe>{{2, 2}, {3, 3}, {4, 4}, {6, 6}, {8, 8}, {1, 2}, {2, 1}, {1, 4},
                                     {4, 1}, {2, 4}, {4, 2}, {1, 8}, {8, 1}, {1, 3}, {3, 1}};
    });
    return probes;
}

}  // namespace sptune
