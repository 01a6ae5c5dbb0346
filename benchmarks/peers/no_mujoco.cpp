#include "peers.hpp"

namespace peers {

std::unique_ptr<Peer> mujoco(const Top&, double) { return nullptr; }
std::unique_ptr<Peer> mujoco(const Chain&, double) { return nullptr; }
std::unique_ptr<Peer> mujoco(const FourBars&, double) { return nullptr; }

}  // namespace peers
