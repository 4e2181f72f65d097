internal import HoistCore

/// The flags of the current context, and what changes them.
final class ServedFlags: @unchecked Sendable {
  private let host: any ProviderHost

  init(host: any ProviderHost) { self.host = host }

  /// Serves no flag at all.
  func serveNone() {
    guard let snapshot = SnapshotBuilder(expectedBytes: 0).finish(evaluate: { _, _, _, _ in }) else { return }
    host.publish(snapshot, changed: [])
  }

  /// Changes what is served (2.2); on the scheduler's thread.
  func apply(_ message: FlagMessage) -> FlagOutcome { .refused("no message is known") }
}
