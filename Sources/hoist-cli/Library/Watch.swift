import CHoist

/// Follows a client's notifications. Used on one thread: the client's observers run inside `Session.dispatch`.
final class Watch {
  private let session: Session
  private let wanted: [String]
  private var report: WatchReport
  private var state: hoist_client_state = hoist_client_state(HOIST_CLIENT_NOT_READY)
  private(set) var changes = 0
  private var hasToldError = false
  private var isFirstCheck = true
  /// Changes before the first flags are known are those first flags.
  private var isReady = false
  private var mode = ""
  /// Each flag as it was reported last, by the bytes of its key.
  private var known: [[UInt8]: FlagDetail] = [:]

  private static let topics = [
    HOIST_TOPIC_READY, HOIST_TOPIC_CONFIGURATION_CHANGED, HOIST_TOPIC_ERROR, HOIST_TOPIC_RECOVERED,
  ]

  init(_ session: Session, flags: [String], isJSON: Bool) {
    self.session = session
    report = WatchReport(isJSON: isJSON)
    wanted = flags
  }

  var hasSpoken: Bool { report.hasSpoken }

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
    try session.configuration.traits.observeMode(of: session.client) { [weak self] in self?.take(mode: $0) }
  }

  /// What was asked for may also come as news.
  private func take(mode now: String) {
    guard now != mode else { return }
    report.mode(now, before: mode)
    mode = now
  }

  /// Says a new state; a refused key ends the watch.
  func checkState() throws {
    let now = session.state
    if !isReady, session.identification?.status == hoist_status(HOIST_OK) { ready() }
    if isFirstCheck {
      isFirstCheck = false
      tellMissedError(now)
    }
    guard now != state else { return }
    state = now
    if Int(now) == HOIST_CLIENT_FATAL {
      throw Problem(.network, "\(session.place): \(session.log.reason ?? "the service refuses this client")")
    }
    report.say("state", Self.name(of: now))
  }

  /// A fetch that failed before there were observers was not reported.
  private func tellMissedError(_ now: hoist_client_state) {
    guard Int(now) == HOIST_CLIENT_ERROR || Int(now) == HOIST_CLIENT_STALE, !hasToldError else { return }
    // The state is set just before its news go out: they may be on their way.
    session.dispatch(milliseconds: 50)
    if !hasToldError, let reason = session.log.reason { tellError(reason) }
  }

  private func tellError(_ message: String) {
    hasToldError = true
    report.say("error", message)
  }

  private func take(_ notification: OpaquePointer) {
    let message = String(cString: hoist_notification_message(notification))
    switch Int(hoist_notification_topic(notification)) {
    case HOIST_TOPIC_READY where session.identification == nil: ready()
    case HOIST_TOPIC_CONFIGURATION_CHANGED where isReady: changed(notification)
    // The first ones after the context could not be given at once.
    case HOIST_TOPIC_CONFIGURATION_CHANGED where session.identification?.status != nil: ready()
    case HOIST_TOPIC_ERROR: tellError(message)
    case HOIST_TOPIC_RECOVERED: report.say("recovered", "the service answers again")
    default: break
    }
  }

  private func ready() {
    isReady = true
    let flags = session.allFlags().filter { isWanted($0.key) }
    for flag in flags { known[Array(flag.key.utf8)] = flag }
    report.ready(flags)
    for key in wanted {
      if let lack = try? session.evaluate(key).lack { report.unknown(key, lack) }
    }
  }

  private func changed(_ notification: OpaquePointer) {
    for index in 0..<hoist_notification_key_count(notification) {
      let key = String(cString: hoist_notification_key(notification, index))
      guard isWanted(key), let flag = try? session.evaluate(key) else { continue }
      changes += 1
      report.changed(flag, before: known.updateValue(flag, forKey: Array(key.utf8)))
    }
  }

  private func isWanted(_ key: String) -> Bool {
    wanted.isEmpty || wanted.contains { $0.utf8.elementsEqual(key.utf8) }
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
