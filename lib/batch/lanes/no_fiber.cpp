// Fiber for builds without Boost.Context.
#include <stdexcept>

#include "fiber.hpp"

namespace torsor::batch {

struct Fiber::State {};

bool Fiber::available() { return false; }
Fiber::Fiber(std::function<void()>) { throw std::logic_error("this build has no fibers"); }
Fiber::~Fiber() = default;
Fiber::Fiber(Fiber&&) noexcept = default;
Fiber& Fiber::operator=(Fiber&&) noexcept = default;
void Fiber::resume() {}
bool Fiber::ended() const { return true; }
void Fiber::stop() {}

}  // namespace torsor::batch
