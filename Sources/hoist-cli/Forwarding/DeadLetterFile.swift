import CHoist
import Glibc

/// Events that the service has refused for good.
struct DeadLetter {
  let queue: String
  /// Of the events; empty where they are not known.
  let ids: [String]
  let reason: String
  /// When they were recorded, in milliseconds of Unix time, in the order of the ids.
  private let recorded: [JSON]
  /// What the service was sent, as members of a line; none where nothing was.
  private let body: [(name: String, value: JSON)]

  /// What is told of a delivery that failed.
  init(_ notification: OpaquePointer) {
    let told = hoist_notification_json(notification).flatMap { JSON(parsing: String(cString: $0)) }
    queue = told?["queue"]?.string ?? ""
    ids = (0..<hoist_notification_key_count(notification)).compactMap { hoist_notification_key(notification, $0) }
      .map { String(cString: $0) }
    reason = told?["reason"]?.string ?? String(cString: hoist_notification_message(notification))
    recorded = told?["recorded_at_unix_ms"]?.elements ?? []
    body = (told?.members ?? []).filter { $0.name.hasPrefix("body") }
  }

  /// One for each event. What was sent of several at once stands in the first, whose id the others name.
  func lines(at time: String) -> [JSON] {
    (ids.isEmpty ? [nil] : ids.map(Optional.some)).enumerated().map { place, id in
      let members: [(name: String, value: JSON)] = [
        ("time", .string(time)), ("queue", .string(queue)), ("id", JSON(id)), ("reason", .string(reason)),
        ("recorded_at_unix_ms", recorded.indices.contains(place) ? recorded[place] : .null),
      ]
      return .object(members + (place == 0 ? body : [("with", JSON(ids.first))]))
    }
  }
}

/// What was refused for good, one JSON object a line and event.
final class DeadLetterFile {
  private let path: String
  private let descriptor: Int32
  private var hasFailed = false

  init(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Problem(.configuration, "--dead-letters \(path): cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  func add(_ letter: DeadLetter) {
    if !write(letter.lines(at: Moment.text).map { $0.text + "\n" }.joined()) { tell() }
  }

  private func write(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Once: forwarding goes on.
  private func tell() {
    guard !hasFailed else { return }
    hasFailed = true
    Output.error("hoist: --dead-letters \(path): cannot be written: \(String(cString: strerror(errno))); lines are missing there")
  }
}
