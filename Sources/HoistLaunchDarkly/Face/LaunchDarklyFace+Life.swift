public import HoistCore
internal import HoistBase

/// How an identify ended (LD-22); the numbers of `hoist_launchdarkly_identify_result`.
public enum IdentifyResult: Int32, Sendable {
  case complete = 0, error, shed, timeout

  public init(_ status: Status) {
    switch status {
    case .ok: self = .complete
    case .launchDarklyShed: self = .shed
    case .timeout: self = .timeout
    default: self = .error
    }
  }
}

/// Options of an identify; the numbers of `hoist/launchdarkly/identify.h`.
public struct IdentifyOptions: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let unsheddable = IdentifyOptions(rawValue: 1)
  public static let usesNoCache = IdentifyOptions(rawValue: 2)
  public static let usesCacheIfAvailable = IdentifyOptions(rawValue: 4)

  /// nil for an unknown option, or two ways to use the cache.
  var cacheUsage: CacheUsage? {
    guard isSubset(of: [.unsheddable, .usesNoCache, .usesCacheIfAvailable]) else { return nil }
    switch (contains(.usesNoCache), contains(.usesCacheIfAvailable)) {
    case (false, false): return .yes
    case (true, false): return .no
    case (false, true): return .ifAvailable
    case (true, true): return nil
    }
  }
}

/// Start, online and offline, identify. Completions run on the client's delivery lane, once each if the result is `.ok`.
extension LaunchDarklyFace {
  /// - Parameter completion: `.timeout` when the wait ended first.
  public func start(waitMilliseconds: Int64, completion: (@Sendable (Status) -> Void)?) -> Status {
    guard !client.isClosed else { return .state }
    client.resumeAfterFork()
    return client.promise(completion) { tell in
      let provider = provider
      client.onScheduler { _ in provider.lead.startAll(waitMilliseconds: waitMilliseconds, done: tell) }
      return .ok
    }
  }

  public func startAndWait(waitMilliseconds: Int64) -> Status {
    let provider = provider
    return client.wait(timeoutMilliseconds: waitMilliseconds) { _, tell in
      provider.lead.startAll(waitMilliseconds: waitMilliseconds, done: tell)
    }
  }

  /// Whether the service has been talked to, or the client has been offline (LD-11).
  public var isInitialized: Bool { !client.isClosed && provider.online.isInitialized }

  /// Whether this environment is online now.
  public var isOnline: Bool { !client.isClosed && provider.online.isOnline }

  /// - Parameter completion: `.ok` also when a newer call took this one's place.
  public func setOnline(_ isOnline: Bool, completion: (@Sendable (Status) -> Void)?) -> Status {
    client.setOnline(isOnline, completion: completion) { provider, tell in
      guard let provider = provider as? LaunchDarklyProvider else { return tell(.unsupported) }
      provider.online.set(isOnline) { tell($0 == .superseded ? .ok : $0) }
    }
  }

  /// - Parameters:
  ///   - context: nil for an anonymous user.
  ///   - timeoutMilliseconds: negative for no limit.
  public func identify(
    _ context: ContextReference?, timeoutMilliseconds: Int64, options: IdentifyOptions,
    completion: (@Sendable (Status) -> Void)?
  ) -> Status {
    guard let cacheUsage = options.cacheUsage else { return .argument }
    guard !client.isClosed else { return .state }
    client.resumeAfterFork()
    guard let context = context ?? EvaluationContext().reference() else { return .limit }
    return client.promiseIdentify(context, timeoutMilliseconds: timeoutMilliseconds, completion) { tell in
      let request = IdentifyRequest(
        context, cacheUsage: cacheUsage, isSheddable: !options.contains(.unsheddable), done: tell)
      let isChange = begin(request)
      let provider = provider
      client.onScheduler { provider.add(request, of: $0, isChange: isChange, timeoutMilliseconds: timeoutMilliseconds) }
      return .ok
    }
  }

  /// What the core does for its own call.
  /// - Returns: false for a context that equals the current one.
  private func begin(_ request: IdentifyRequest) -> Bool {
    guard !client.isCurrent(request.context) else { return false }
    client.beginChange()
    request.ending.tell { [client] status in for member in client.members { member.endContextChange(status) } }
    return true
  }

  public func identifyAndWait(
    _ context: ContextReference?, timeoutMilliseconds: Int64, options: IdentifyOptions
  ) -> Status {
    guard let cacheUsage = options.cacheUsage else { return .argument }
    guard let context = context ?? EvaluationContext().reference() else { return .limit }
    return client.waitIdentify(context, timeoutMilliseconds: timeoutMilliseconds) { [self] client, tell in
      let request = IdentifyRequest(
        context, cacheUsage: cacheUsage, isSheddable: !options.contains(.unsheddable), done: tell)
      let isChange = begin(request)
      provider.add(request, of: client, isChange: isChange, timeoutMilliseconds: timeoutMilliseconds)
    }
  }

  /// Another environment of the same client (LD-07 to LD-09); nil after close.
  public func environment(named name: String) -> Client? {
    guard !client.isClosed else { return nil }
    let isPrimary = name.utf8.elementsEqual(LaunchDarklySettings.primaryEnvironment.utf8)
    return client.environment(named: isPrimary ? "" : name)
  }
}

extension LaunchDarklyProvider {
  /// On the scheduler's thread.
  fileprivate func add(_ request: IdentifyRequest, of client: Client, isChange: Bool, timeoutMilliseconds: Int64) {
    if isChange { for member in client.members { member.takeUpContextChange() } }
    lead.identifying.add(request, timeoutMilliseconds: timeoutMilliseconds)
    for member in client.members { member.awaitContext() }
  }
}

/// Observers (5.6).
extension LaunchDarklyFace {
  /// Keys of one registration.
  public static var maximumKeys: Int { 100_000 }

  /// - Returns: a token for `Client.unobserve`; 0 when there are too many.
  public func observe(_ what: ObservedChanges, _ observer: any ChangeObserver) -> UInt64 {
    provider.observers.add(observer, for: what.withoutRepetition)
  }
}

extension ObservedChanges {
  /// A flag that is named twice is reported once.
  fileprivate var withoutRepetition: ObservedChanges {
    guard case .flags(let keys) = self else { return self }
    var seen: Set<[UInt8]> = []
    return .flags(keys.filter { seen.insert($0).inserted })
  }
}
