import Glibc
import Synchronization

/// Ctrl-C, for the command whose proper end it is; others are ended by the signal itself.
enum Interrupt {
  private static let seen = Atomic<Bool>(false)

  static var isSeen: Bool { seen.load(ordering: .relaxed) }

  static func catchIt(orTermination: Bool = false) {
    _ = isSeen
    for number in orTermination ? [SIGINT, SIGTERM] : [SIGINT] {
      signal(number) { _ in Interrupt.seen.store(true, ordering: .relaxed) }
    }
  }
}
