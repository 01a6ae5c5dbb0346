#include "peers.hpp"

namespace peers {

std::unique_ptr<Peer> simbody(const Top&, double) { return nullptr; }
std::unique_ptr<Peer> simbody(const Chain&, double) { return nullptr; }
std::unique_ptr<Peer> simbody(const FourBars&, double) { return nullptr; }

}  // namespace peers
