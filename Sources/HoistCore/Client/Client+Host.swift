public import HoistBase
internal import CShims

/// What the client offers its provider.
extension Client: ProviderHost {
  /// A header provider has this long to answer; then the request goes out without it.
  private static var headerLimitNanoseconds: Int64 { 5_000_000_000 }

  public var client: Client? { self }
  public var scheduler: any Scheduler { services.scheduler }
  public var clock: any Clock { services.clock }
  public var entropy: any Entropy { services.entropy }
  public var regex: (any RegexEngine)? { services.regex }

  public var builtInTransport: any Transport {
    guard plugins.transport != nil else { return transport }
    return services.makeTransport(NetworkOptions(values, userAgent: "hoist/\(HoistVersion.text)"))
  }

  public func store(over manager: any CacheManager) -> Store {
    scope.addStore(Store(manager: manager, log: log, clock: clock, scheduler: scheduler, entropy: entropy))
  }

  public var providersOfGroup: [any Provider] { companions.compactMap(\.provider) }

  public var currentContext: ContextReference? {
    let slot = shim_enter()
    defer { shim_leave(slot) }
    return shim_load_pointer(&hot.pointee.context).map { ContextReference(sharing: FrozenContext(UnsafeRawPointer($0))) }
  }

  public func publish(_ snapshot: Snapshot, changed: [String]) {
    let count = snapshot.flagCount
    let begun = clock.monotonicNanoseconds
    holder.publish(snapshot)
    announce(changed, of: count, since: begun)
  }

  public func publish(_ patch: SnapshotPatch, changed: [String]) -> Bool {
    let begun = clock.monotonicNanoseconds
    if patch.isCopy || !holder.put(patch) {
      guard let copy = patch.isCopy ? patch.snapshot : patch.applied() else { return false }
      holder.publish(copy)
    }
    announce(changed, of: holder.read { $0?.flagCount ?? 0 }, since: begun)
    return true
  }

  private func announce(_ changed: [String], of count: Int, since begun: Int64) {
    log.debug(
      "\(count) flags are served, \(changed.count) of them changed; it took \((clock.monotonicNanoseconds &- begun) / 1_000_000) ms"
    )
    guard !changed.isEmpty else { return }
    notify(Notification(.configurationChanged, message: "\(changed.count) flags changed", keys: changed))
    guard observers.isObserved(.flagChanged) else { return }
    for key in changed { notify(Notification(.flagChanged, keys: [key])) }
  }

  public func drainCounts(
    _ body: (_ snapshot: Snapshot, _ record: UnsafeRawPointer, _ cell: UInt32, _ count: UInt64) -> Void
  ) {
    holder.drain(body)
  }

  public func withSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result { holder.read(body) }

  public func withPinnedSnapshot<Result>(_ body: (Snapshot?) -> Result) -> Result {
    let snapshot = holder.pinned()
    defer { snapshot?.unpin() }
    return body(snapshot)
  }

  public func report(_ report: LifeReport) { tell(life.take(report)) }

  public func beginContextChange() { life.beginContextChange() }
  public func takeUpContextChange() { life.takeUpContextChange() }
  public func awaitContext() { tell(life.awaitContext()) }
  public func endContextChange(_ status: Status) { tell(life.endContextChange(status)) }

  /// In the log and to observers.
  func tell(_ news: LifeNews) {
    for line in news.lines { log.write(line.level, line.text) }
    if let reason = news.readiness { log.info("ready: \(reason): \(holder.read { $0?.flagCount ?? 0 }) flags") }
    for notification in news.notifications { notify(notification) }
  }

  public func notify(_ notification: Notification) {
    let happensOnce = notification.topic == .ready || notification.topic == .initialized
    if notification.topic == .initialized, !life.wasInitialized { return report(.initialized) }
    for registration in observers.observers(of: notification) {
      if happensOnce, !observers.claim(registration.token) { continue }
      tell(registration, notification)
    }
  }

  public func dynamicHeaders(
    from provider: (any HeaderProvider)?, for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void
  ) {
    guard let provider else { return completion([]) }
    let log = log
    pluginLane.ask(withinNanoseconds: Self.headerLimitNanoseconds) {
      provider.headers(for: url)
    } answer: { headers in
      if headers == nil { log.warning("the header provider did not answer in time; a request goes out without its headers") }
      completion((headers ?? nil) ?? [])
    }
  }

  public func onPluginLane(_ work: @escaping @Sendable () -> Void) { pluginLane.perform(work) }

  public func onDeliveryLane(_ call: @escaping @Sendable () -> Void) { callbacks.deliver(call) }

  public var delivery: any EventSink {
    guard let dispatcher = plugins.eventSink else { return TransportEventSink(transport) }
    return ClientEventSink(dispatcher, EventOrigin(service: factory.name, keyDigest: keyDigest))
  }

  /// Calls an observer on the lane, unless its registration has ended by then.
  func tell(_ registration: ObserverRegistry.Registration, _ notification: Notification) {
    let observers = observers
    callbacks.deliver {
      if observers.contains(registration.token) { registration.observer.notify(notification) }
    }
  }
}

/// Observers and manual dispatch.
extension Client {
  /// - Returns: a token for `unobserve`. An observer of `.ready` or `.initialized` is notified at once when it has
  ///   happened already.
  public func observe(_ topic: Topic, key: String?, _ observer: any Observer) -> UInt64 {
    let registration = observers.add(topic, key: topic == .flagChanged || topic == .impression ? key : nil, observer)
    updateWantedEffects()
    let hasHappened = topic == .ready && life.wasReady || topic == .initialized && life.wasInitialized
    if hasHappened, observers.claim(registration.token) { tell(registration, Notification(topic)) }
    return registration.token
  }

  /// Ends a registration, also one in the service's own words.
  /// - Returns: false for a token that is not in use.
  public func unobserve(_ token: UInt64) -> Bool {
    defer { updateWantedEffects() }
    return observers.remove(token) || provider?.unobserve(token) ?? false
  }

  /// Ends every registration.
  public func removeObservers() {
    observers.removeAll()
    updateWantedEffects()
  }

  /// Whether the service's flags have ever been served.
  public var wasReady: Bool { life.wasReady }
  /// Whether store and bootstrap have been read since the start.
  public var wasInitialized: Bool { life.wasInitialized }

  /// Readable while calls wait for `dispatch`; -1 without manual dispatch.
  public var dispatchDescriptor: Int32 { callbacks.descriptor }

  /// Runs waiting calls on the calling thread; returns how many ran.
  public func dispatch(limit: Int) -> Int { callbacks.dispatch(limit: limit) }

  /// Evaluations announce impressions only while there is a listener.
  private func updateWantedEffects() {
    let impression = UInt32(Effects.impression.rawValue)
    if observers.isObserved(.impression) {
      shim_or_u32(&hot.pointee.wanted, impression)
    } else {
      shim_and_u32(&hot.pointee.wanted, ~impression)
    }
  }

  /// The first of a flag is warned of: its caller may not look at details.
  private func warnOfRefusal(_ key: ByteView, _ evaluation: borrowing Evaluation) {
    let isFirst = refusedFlags.withLock { $0.count < Self.mostRefusedFlags && $0.insert(Array(key)).inserted }
    guard isFirst else { return }
    let reason = evaluation.message.map { String(cString: $0) } ?? ""
    log.warning("flag \"\(String(decoding: key, as: UTF8.self))\" gives its fallback for a context of one call: \(reason)")
  }

  public func noteExcess(of name: String) {
    let isFirst = costlyFlags.withLock { flags in
      flags.count &+= 1
      return flags.told.count < Self.mostRefusedFlags && flags.told.insert(name).inserted
    }
    guard isFirst else { return }
    log.warning(
      "\(name): rules too costly to evaluate, the fallback is given; look for segments that ask for each other, very long lists, and "
        + "regular expressions with many alternatives")
  }

  private static var mostRefusedFlags: Int { 1000 }

  /// An evaluation whose effects have a listener; on the evaluating thread.
  /// - Parameter asked: the key where it may not be the record's, which flags that are not listed share.
  func announce(
    _ evaluation: inout Evaluation, _ fallback: EvaluationFallback, asked: ByteView? = nil, snapshot: Snapshot,
    record: UnsafeRawPointer, context: FrozenContext?
  ) {
    guard let port else { return }
    if evaluation.effects.contains(.excess) { noteExcess(ofFlag: asked ?? snapshot.name(of: record)) }
    if evaluation.effects.contains(.refusal) { warnOfRefusal(asked ?? snapshot.name(of: record), evaluation) }
    if evaluation.effects.contains(.record) {
      fallback.withPointer { fallback in
        evaluation.fallback = fallback
        port._withUnsafeGuaranteedRef {
          $0.provider.record(evaluation, snapshot: snapshot, record: record, context: context)
        }
        evaluation.fallback = nil
      }
    }
    guard evaluation.effects.contains(.impression), observers.isObserved(.impression) else { return }
    let news = port._withUnsafeGuaranteedRef {
      $0.provider.impression(evaluation, snapshot: snapshot, record: record, context: context)
    }
    if let news { notify(news) }
  }
}
