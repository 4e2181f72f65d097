import CHoist
import HoistJSON

/// Prints what a client tells. Used on one thread: the client's observers run inside `Session.dispatch`.
final class Watch {
  private let session: Session
  private let wanted: [String]
  private let isJSON: Bool
  private var state: hoist_client_state = hoist_client_state(HOIST_CLIENT_NOT_READY)
  private(set) var changes = 0
  private(set) var hasSpoken = false
  private var hasToldError = false
  private var isFirstCheck = true
  /// Changes before the first flags are known are those first flags.
  private var isReady = false

  private static let topics = [
    HOIST_TOPIC_READY, HOIST_TOPIC_CONFIGURATION_CHANGED, HOIST_TOPIC_ERROR, HOIST_TOPIC_RECOVERED,
  ]

  init(_ session: Session, flags: [String], isJSON: Bool) {
    self.session = session
    self.isJSON = isJSON
    wanted = flags
  }

  /// The client holds this object until it is closed.
  func begin() throws {
    for topic in Self.topics {
      var observer = hoist_observer()
      observer.struct_size = MemoryLayout<hoist_observer>.size
      observer.user_data = Unmanaged.passRetained(Weak(self)).toOpaque()
      observer.notify = { box, notification in
        guard let box else { return }
        Unmanaged<Weak>.fromOpaque(box).takeUnretainedValue().watch?.take(notification)
      }
      observer.release = { box in
        if let box { Unmanaged<Weak>.fromOpaque(box).release() }
      }
      let status = hoist_client_observe(session.client, hoist_topic(topic), nil, &observer, nil)
      guard status == HOIST_OK else { throw Problem(status: status, error: nil) }
    }
  }

  /// Says a new state; a refused key ends the watch.
  func checkState() throws {
    let now = session.state
    if isFirstCheck {
      isFirstCheck = false
      tellMissedError(now)
    }
    guard now != state else { return }
    state = now
    if Int(now) == HOIST_CLIENT_FATAL {
      throw Problem(.network, "\(session.place): \(session.book.reason ?? "the service refuses this client")")
    }
    say("state", message: Self.name(of: now))
  }

  /// A fetch that failed before there were observers was told to nobody.
  private func tellMissedError(_ now: hoist_client_state) {
    guard Int(now) == HOIST_CLIENT_ERROR || Int(now) == HOIST_CLIENT_STALE, !hasToldError else { return }
    // The state is set just before its news go out: they may be on their way.
    session.dispatch(milliseconds: 50)
    if !hasToldError, let reason = session.book.reason { tellError(reason) }
  }

  private func tellError(_ message: String) {
    hasToldError = true
    say("error", message: message)
  }

  private func take(_ notification: OpaquePointer) {
    let message = String(cString: hoist_notification_message(notification))
    switch Int(hoist_notification_topic(notification)) {
    case HOIST_TOPIC_READY: ready()
    case HOIST_TOPIC_CONFIGURATION_CHANGED where isReady: changed(notification)
    case HOIST_TOPIC_ERROR: tellError(message)
    case HOIST_TOPIC_RECOVERED: say("recovered", message: "the service answers again")
    default: break
    }
  }

  private func ready() {
    isReady = true
    let flags = session.allFlags().filter { isWanted($0.key) }
    if isJSON {
      return write("ready") { writer in
        writer.key("flags")
        writer.array { writer in
          for flag in flags { writer.raw(flag.json.utf8) }
        }
      }
    }
    hasSpoken = true
    var table = Table(FlagDetail.header)
    for flag in flags { table.add(flag.cells) }
    table.show()
  }

  private func changed(_ notification: OpaquePointer) {
    for index in 0..<hoist_notification_key_count(notification) {
      let key = String(cString: hoist_notification_key(notification, index))
      guard isWanted(key), let detail = try? session.evaluate(key) else { continue }
      changes += 1
      if isJSON {
        write("changed") { writer in
          writer.key("flag")
          writer.raw(detail.json.utf8)
        }
      } else {
        hasSpoken = true
        let parts = [detail.key, detail.enabled ? "on" : "off", detail.variation, detail.reason, detail.shownValue]
        Output.line(Display.oneLine("\(Moment.text)  " + parts.filter { !$0.isEmpty }.joined(separator: "  ")))
      }
    }
  }

  private func isWanted(_ key: String) -> Bool {
    wanted.isEmpty || wanted.contains { $0.utf8.elementsEqual(key.utf8) }
  }

  private func say(_ event: String, message: String) {
    if isJSON {
      return write(event) { writer in
        writer.key("message")
        writer.string(message)
      }
    }
    // The state goes without saying when the news that brought it is told.
    if event != "state" { Output.error("\(Moment.text)  \(event)  \(message)") }
    hasSpoken = hasSpoken || event != "state"
  }

  private func write(_ event: String, _ members: (inout JSONWriter) -> Void) {
    hasSpoken = true
    Output.json { writer in
      writer.object { writer in
        writer.key("time")
        writer.string(Moment.text)
        writer.key("event")
        writer.string(event)
        members(&writer)
      }
    }
  }

  static func name(of state: hoist_client_state) -> String {
    let names = ["NOT_READY", "READY", "STALE", "ERROR", "FATAL", "RECONCILING", "CLOSED"]
    return names.indices.contains(Int(state)) ? names[Int(state)] : "UNKNOWN"
  }

  private final class Weak {
    weak var watch: Watch?
    init(_ watch: Watch) { self.watch = watch }
  }
}
