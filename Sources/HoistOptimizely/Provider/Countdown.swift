/// Calls a completion when a number of operations have ended. On the scheduler's thread.
final class Countdown: @unchecked Sendable {
  private var left: Int
  private let completion: @Sendable () -> Void

  init(_ left: Int, _ completion: @escaping @Sendable () -> Void) {
    self.left = left
    self.completion = completion
  }

  func count() {
    left -= 1
    if left == 0 { completion() }
  }
}
