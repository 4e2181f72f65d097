import CHoistKafka
import Glibc
import Synchronization

/// The end of a member, on a thread of its own: where the brokers are away, leaving the group takes longer than there is time. Keeps
/// the client for as long as that lasts, which the end of the process may cut short.
final class KafkaEnding: @unchecked Sendable {
  private let plugin: KafkaPlugin
  private let member: OpaquePointer
  private let session: Session
  private let limit: Int64
  private let outcome = Mutex<(figures: hoist_kafka_figures, isDone: Bool)?>(nil)

  init(_ plugin: KafkaPlugin, _ member: OpaquePointer, _ session: Session, milliseconds: Int64) {
    (self.plugin, self.member, self.session, limit) = (plugin, member, session, milliseconds)
    var thread = pthread_t()
    let own = Unmanaged.passRetained(self)
    let failure = pthread_create(
      &thread, nil,
      { own in
        if let own { Unmanaged<KafkaEnding>.fromOpaque(own).takeRetainedValue().stop() }
        return nil
      }, own.toOpaque())
    if failure == 0 { pthread_detach(thread) } else { own.takeRetainedValue().stop() }
  }

  private func stop() {
    let end = plugin.stop(member, milliseconds: limit)
    outcome.withLock { $0 = end }
  }

  /// - Returns: nil when it lasts longer.
  func wait(milliseconds: Int64) -> (figures: hoist_kafka_figures, isDone: Bool)? {
    let deadline = Moment.monotonicMilliseconds + milliseconds
    while true {
      if let outcome = outcome.withLock({ $0 }) { return outcome }
      guard Moment.monotonicMilliseconds < deadline else { return nil }
      session.dispatch(milliseconds: 10)
    }
  }
}
