internal import CShims
internal import HoistBase
internal import HoistCore

/// Records what is sent back, and sees to its delivery (4.4; LD-40 to LD-44, LD-82, LD-83, LD-87, LD-90).
///
/// What evaluating threads and the host's calls use takes no lock that is held during work; the rest is the scheduler's.
final class EventRecorder: @unchecked Sendable {
  let outlet: EventOutlet
  /// Used before there is a context.
  let first = FirstContext()

  var host: any ProviderHost { outlet.host }
  var options: EventOptions { outlet.options }
  var capacity: EventCapacity { outlet.capacity }
  var pipeline: EventPipeline { outlet.pipeline }
  private var summaries: SummaryAccumulator { outlet.summaries }

  /// - Parameter cells: nil for those of the flags that the client serves.
  init(host: any ProviderHost, options: EventOptions, headers: any HeaderSource, cells: (any CountedFlags)? = nil) {
    outlet = EventOutlet(host: host, options: options, headers: headers, cells: cells ?? ServedCells(host))
  }

  // MARK: Recording, any thread

  /// The context of all events from now on, which is an event itself (4.4.1).
  func identify(_ context: EventContext) {
    // What was counted so far was counted for the former one.
    if options.isEnabled { outlet.absorb() }
    outlet.context.replace(context)
    guard options.isEnabled else { return }
    // Flags that stay are noted for this one, too.
    outlet.cells.beginPeriod()
    addIdentify(of: context)
  }

  /// Its event, and those that have waited for it, are recorded before any other event of it.
  private func announce(_ context: EventContext, _ early: [EarlyEvent] = []) {
    addIdentify(of: context)
    for event in early {
      event.key.withBytes { key in
        func add(_ data: ByteView?) {
          _ = addCustom(
            key, data: data, metric: event.metric, of: context, at: event.unixMilliseconds, waits: .never)
        }
        if let data = event.data { data.withBytes { add($0) } } else { add(nil) }
      }
    }
    outlet.context.replace(context)
  }

  /// The start or an identify has set the context (4.4.1).
  func identified(_ context: LDContext) {
    let own = describe(context)
    if !first.arrives(context, { announce(own, $0) }) { identify(own) }
  }

  /// What all events say of a context.
  func describe(_ context: LDContext) -> EventContext { EventContext(context, options.redaction) }

  /// The start has found that there is no context.
  func hasNoContext() {
    for _ in 0..<first.fails() { capacity.refuse() }
  }

  private func addIdentify(of context: EventContext) {
    let now = host.clock.unixMilliseconds
    EventText.identify(context, at: now) { _ = outlet.add($0, at: now) }
  }

  /// An event of the host's (4.4.4).
  /// - Parameters:
  ///   - key: valid UTF-8.
  ///   - data: JSON text; nil for none.
  /// - Returns: `.limit` when there is no room.
  func track(_ key: ByteView, data: ByteView?, metric: Double?, at unixMilliseconds: Int64? = nil) -> Status {
    guard options.isEnabled else { return .ok }
    let reading = shim_enter()
    defer { shim_leave(reading) }
    if outlet.context.current == nil { first.announce { announce(describe($0)) } }
    if outlet.context.current == nil, let status = keepEarly(key, data, metric, unixMilliseconds) { return status }
    guard let context = outlet.context.current else { return .state }
    return context._withUnsafeGuaranteedRef { context in
      let now = unixMilliseconds ?? host.clock.unixMilliseconds
      return addCustom(key, data: data, metric: metric, of: context, at: now, waits: .forCommit)
    }
  }

  private func addCustom(
    _ key: ByteView, data: ByteView?, metric: Double?, of context: EventContext, at unixMilliseconds: Int64,
    waits wait: EventPipeline.Wait
  ) -> Status {
    guard capacity.take() else { return .limit }
    return EventText.custom(key, data: data, metric: metric, context.json, at: unixMilliseconds) {
      outlet.record($0, at: unixMilliseconds, waits: wait)
    }
  }

  /// The identify event takes a place, too.
  /// - Returns: nil when no context is awaited, or it has come.
  private func keepEarly(_ key: ByteView, _ data: ByteView?, _ metric: Double?, _ unixMilliseconds: Int64?) -> Status? {
    let isKept = first.keep(most: options.capacity - 1) {
      EarlyEvent(
        key: Array(key), data: data.map { Array($0) }, metric: metric,
        unixMilliseconds: unixMilliseconds ?? host.clock.unixMilliseconds)
    }
    if isKept == false { capacity.refuse() }
    return isKept.map { $0 ? options.durability == .immediate ? .unsaved : .ok : .limit }
  }

  /// An evaluation that is more than a count: the first of its flag in a period, one of a flag with events of its own, or
  /// with prerequisites.
  /// - Parameters:
  ///   - owner: the context of the evaluation; nil for the current one.
  ///   - isFirst: the flag's first evaluation in this period; `noted` runs when it is recorded.
  ///   - find: the stored flag of a key.
  func evaluated(
    _ use: FlagUse, owner: EventContext? = nil, isFirst: Bool, noted: () -> Void, find: (ByteView) -> FlagFacts?
  ) {
    guard options.isEnabled else { return }
    if let owner { return evaluated(use, of: owner, isFirst: isFirst, noted: noted, find: find) }
    let reading = shim_enter()
    defer { shim_leave(reading) }
    outlet.context.current?._withUnsafeGuaranteedRef { context in
      evaluated(use, of: context, isFirst: isFirst, noted: noted, find: find)
    }
  }

  private func evaluated(
    _ use: FlagUse, of context: EventContext, isFirst: Bool, noted: () -> Void, find: (ByteView) -> FlagFacts?
  ) {
    guard let flag = use.flag else { return }
    if !flag.prerequisites.isEmpty {
      PrerequisiteWalk.each(of: flag, find: find) { key, flag in
        let own = FlagUse(
          key: key, flag: flag, result: flag?.value ?? EventText.null, fallback: nil, isDetailed: use.isDetailed)
        summaries.count(own, kinds: context.kinds, context)
        outlet.recordEvents(of: own, context)
      }
    }
    if isFirst { summaries.note(use, kinds: context.kinds, context, then: noted) }
    outlet.recordEvents(of: use, context)
  }

  /// An evaluation of a flag that is not stored.
  /// - Parameter fallback: JSON text; nil for null.
  func countUnknown(_ key: ByteView, fallback: ByteView?) {
    guard options.isEnabled else { return }
    let reading = shim_enter()
    defer { shim_leave(reading) }
    let use = FlagUse(key: key, flag: nil, result: fallback ?? EventText.null, fallback: fallback, isDetailed: false)
    // It is missing among the flags that are served, so it is of their context.
    if let owner = host.withSnapshot({ $0?.owner }) { return summaries.count(use, kinds: owner.kinds, owner) }
    outlet.context.current?._withUnsafeGuaranteedRef { summaries.count(use, kinds: $0.kinds, $0) }
  }

  func countUnknown(_ key: ByteView, _ fallback: EvaluationFallback?) {
    guard let json = fallback?.json else { return countUnknown(key, fallback: nil) }
    json.withBytes { countUnknown(key, fallback: $0) }
  }
}
