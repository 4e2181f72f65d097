internal import Glibc
internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The sender of diagnostics and its configuration: the body of `diagnostic-init` (4.6).
struct DiagnosticOrigin: Sendable {
  /// The members of "configuration", in order.
  var configuration: [(name: String, value: Value)]
  /// The last characters of the mobile key.
  var keySuffix: String
  var wrapperName = ""
  var wrapperVersion = ""
  var isBackgroundEnabled = false
  /// The platform is told of as a server's (server 7.10).
  var isServer = false

  enum Value: Sendable, Equatable {
    case bool(Bool)
    case int(Int64)
    case text(String)
  }

  func event(id: String, unixMilliseconds: Int64) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      DiagnosticText.begin("diagnostic-init", unixMilliseconds, id: id, keySuffix: keySuffix, &writer)
      writer.object("sdk") { writer in
        let named = [
          ("name", "hoist"), ("version", HoistVersion.text), ("wrapperName", wrapperName), ("wrapperVersion", wrapperVersion),
        ]
        for (name, text) in named where !text.isEmpty {
          writer.member(name, text)
        }
      }
      writer.object("configuration") { writer in
        for (name, value) in configuration {
          writer.key(name)
          switch value {
          case .bool(let value): writer.bool(value)
          case .int(let value): writer.int(value)
          case .text(let value): writer.string(value)
          }
        }
      }
      writer.object("platform") { writePlatform(to: &$0) }
    }
    return writer.bytes
  }

  private func writePlatform(to writer: inout JSONWriter) {
    let system = SystemFacts.current
    let names = isServer ? ("osName", "osVersion", "osArch") : ("systemName", "systemVersion", "deviceType")
    for (name, text) in [("name", "swift"), (names.0, system.name), (names.1, system.release), (names.2, system.machine)] {
      writer.member(name, text)
    }
    if isServer { return }
    writer.member("backgroundEnabled", isBackgroundEnabled)
    writer.member("streamingEnabled", true)
  }
}

/// The machine, in its own words.
struct SystemFacts: Sendable {
  let name: String
  let release: String
  let machine: String

  static var current: SystemFacts {
    var facts = utsname()
    guard uname(&facts) == 0 else { return SystemFacts(name: "Linux", release: "", machine: "") }
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { UTF8Text.repaired(ByteView(rebasing: $0.prefix { $0 != 0 })) }
    }
    return SystemFacts(name: text(facts.sysname), release: text(facts.release), machine: text(facts.machine))
  }
}

extension DiagnosticOrigin {
  init(_ settings: LaunchDarklySettings) {
    configuration = [
      ("customBaseURI", .bool(settings.hasCustomBaseURL)),
      ("customEventsURI", .bool(settings.hasCustomEventsURL)),
      ("customStreamURI", .bool(settings.hasCustomStreamURL)),
      ("eventsCapacity", .int(Int64(settings.eventCapacity))),
      ("connectTimeoutMillis", .int(settings.connectionTimeoutMilliseconds)),
      ("eventsFlushIntervalMillis", .int(settings.flushMilliseconds)),
      ("streamingDisabled", .bool(!settings.streams)),
      ("allAttributesPrivate", .bool(settings.allAttributesArePrivate)),
      ("pollingIntervalMillis", .int(settings.pollingMilliseconds)),
      ("backgroundPollingIntervalMillis", .int(settings.backgroundPollingMilliseconds)),
      ("useReport", .bool(settings.usesReport)),
      ("backgroundPollingDisabled", .bool(!settings.updatesInBackground)),
      ("evaluationReasonsRequested", .bool(settings.asksForReasons)),
      ("maxCachedContexts", .int(Int64(max(-1, settings.maximumCachedContexts)))),
      ("mobileKeyCount", .int(Int64(1 + settings.secondaryMobileKeys.count))),
      ("diagnosticRecordingIntervalMillis", .int(settings.diagnosticMilliseconds)),
      ("customHeaders", .bool(!settings.additionalHeaders.isEmpty)),
    ]
    keySuffix = settings.mobileKey.withRevealedBytes { UTF8Text.repaired(ByteView(rebasing: $0.suffix(6))) }
    wrapperName = settings.wrapperName
    wrapperVersion = settings.wrapperVersion
    isBackgroundEnabled = settings.updatesInBackground
  }
}

extension DiagnosticReporter {
  /// Of a server, before the one retry (server 2.4).
  private static let retryMilliseconds: Int64 = 1_000

  /// nil where no diagnostics are sent.
  /// - Parameter seen: of a server.
  convenience init?(
    host: any ProviderHost, settings: LaunchDarklySettings, headers: any HeaderSource, capacity: EventCapacity,
    seen: SeenContexts? = nil, source: RulesSource = .service
  ) {
    guard settings.sendsDiagnostics, settings.sendsEvents else { return nil }
    let path = seen == nil ? "mobile/events/diagnostic" : "diagnostic"
    var options = Options(
      url: (settings.eventsURL.appendingPath(path) ?? settings.eventsURL).text,
      storeKey: "diagnostics:\(settings.mobileKeyDigest)", intervalMilliseconds: settings.diagnosticMilliseconds,
      timeoutMilliseconds: settings.connectionTimeoutMilliseconds, compresses: settings.compressesEvents)
    if seen != nil { options.retryMilliseconds = Self.retryMilliseconds }
    self.init(
      host: host, options: options,
      origin: seen.map { DiagnosticOrigin(server: settings, seen: $0.options, source: source) } ?? DiagnosticOrigin(settings),
      headers: headers,
      capacity: capacity, seen: seen)
  }
}

extension DiagnosticOrigin {
  /// - Parameter seen: how contexts are remembered.
  init(server settings: LaunchDarklySettings, seen: SeenContexts.Options, source: RulesSource = .service) {
    self.init(settings)
    isServer = true
    let clientOnly = [
      "backgroundPollingIntervalMillis", "useReport", "backgroundPollingDisabled", "evaluationReasonsRequested",
      "maxCachedContexts",
      "mobileKeyCount", "customHeaders",
    ]
    configuration.removeAll { clientOnly.contains($0.name) }
    configuration += [
      ("socketTimeoutMillis", .int(settings.connectionTimeoutMilliseconds)), ("usingProxy", .bool(settings.usesProxy)),
      ("usingRelayDaemon", .bool(source == .store)), ("userKeysCapacity", .int(Int64(seen.capacity))),
      ("userKeysFlushIntervalMillis", .int(seen.milliseconds)),
      ("dataStoreType", .text(source == .service ? "memory" : "custom")),
    ]
  }
}
