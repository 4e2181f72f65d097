internal import HoistBase
internal import HoistCore

/// Where requests get their headers.
protocol HeaderSource: Sendable {
  /// - Parameter completion: runs on the scheduler's thread, with all headers of a request that has these of its own.
  func prepare(_ own: [HTTPHeader], for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void)
}

/// The headers that all requests have (2.1; LD-89): the client's own, then those of one purpose, then the host's, each
/// replacing what has its name. Callable from any thread.
final class RequestHeaders: HeaderSource {
  /// Whom the service takes the client for.
  enum Role {
    case client
    /// Decides by itself (server 2.1).
    case server
  }

  private let host: any ProviderHost
  private let settings: LaunchDarklySettings
  private let role: Role
  private let tags: String?
  private let instance: LockedValue<Instance>

  private struct Instance {
    var id: String
    var generation: UInt32
  }

  init(settings: LaunchDarklySettings, host: any ProviderHost, role: Role = .client) {
    self.settings = settings
    self.host = host
    self.role = role
    let application = role == .client ? ApplicationTags(settings.application) : ApplicationTags(server: settings.application)
    for name in application.discarded {
      host.log.warning("the tag \(name) is not sent: it must have 1 to 64 letters, digits, dots, dashes or underscores")
    }
    tags = role == .client ? settings.tags.header : application.header
    instance = LockedValue(Instance(id: UUIDv4(from: host.entropy).text, generation: ForkGeneration.current))
  }

  /// One client of one process: a forked child is another one.
  var instanceID: String {
    instance.withLock { instance in
      if instance.generation != ForkGeneration.current {
        instance = Instance(id: UUIDv4(from: host.entropy).text, generation: ForkGeneration.current)
      }
      return instance.id
    }
  }

  /// - Parameter own: of the purpose.
  func make(_ own: [HTTPHeader]) -> [HTTPHeader] {
    var headers = [
      HTTPHeader("Authorization", (role == .client ? "api_key " : "") + settings.mobileKey.reveal()),
      HTTPHeader("User-Agent", "\(role == .client ? "HoistClient" : "HoistServer")/\(HoistVersion.text)"),
      HTTPHeader("X-LaunchDarkly-Instance-Id", instanceID),
    ]
    if let tags { headers.append(HTTPHeader("X-LaunchDarkly-Tags", tags)) }
    if !settings.wrapperName.isEmpty {
      let version = settings.wrapperVersion.isEmpty ? "" : "/\(settings.wrapperVersion)"
      headers.append(HTTPHeader("X-LaunchDarkly-Wrapper", settings.wrapperName + version))
    }
    for header in own { headers.set(header.name, header.value) }
    for (name, value) in settings.additionalHeaders { headers.set(name, value) }
    return headers
  }

  /// The same with the headers of the host's header provider over them.
  func prepare(_ own: [HTTPHeader], for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void) {
    let made = make(own)
    host.dynamicHeaders(for: url) { dynamic in
      var headers = made
      for header in dynamic { headers.set(header.name, header.value) }
      completion(headers)
    }
  }
}
