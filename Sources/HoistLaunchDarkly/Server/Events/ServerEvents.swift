internal import HoistBase
internal import HoistCore

/// The events of a server, which are of whichever context a call names (protocols/launchdarkly-server.md 7; LDS-40 to
/// LDS-49, LDS-51). Recording is any thread's, and takes no lock that is held during work.
final class ServerEvents: @unchecked Sendable {
  let outlet: EventOutlet
  let seen: SeenContexts
  private let cells: ServerCells
  private let seenOptions: SeenContexts.Options
  private var forgetting: (any Cancellable)?

  private var host: any ProviderHost { outlet.host }
  private var redaction: Redaction { outlet.options.redaction }

  init(
    host: any ProviderHost, options: EventOptions, seen: SeenContexts.Options = SeenContexts.Options(),
    headers: any HeaderSource, counts: @escaping ServerCells.Drain
  ) {
    cells = ServerCells(counts)
    outlet = EventOutlet(host: host, options: options, headers: headers, cells: cells)
    seenOptions = seen
    self.seen = SeenContexts(seen)
  }

  // MARK: Evaluations

  /// What an evaluation is beside its count.
  struct News {
    let sighting: SeenContexts.Sighting
    /// Nil for an evaluation that the summary needs not to be told of.
    let unnoted: EvaluationCount?
  }

  /// Of an evaluation of a flag for a valid context. For a flag without events of its own, a context that was seen and a
  /// counter that was noted nothing is allocated, locked, or written where other threads read; a reference count is a write.
  /// - Returns: nil for a count and nothing else.
  @inline(__always)
  func news(of flag: FlagEvents, counted count: EvaluationCount, of context: FrozenContext) -> News? {
    guard outlet.isRecording else { return nil }
    let sighting = seen.see(context)
    let isNoted = flag.isLeftOut || count.word.map { cells.isNoted($0, sighting.kinds) } ?? false
    if isNoted, !sighting.isNew, !flag.isMoreThanACount { return nil }
    return News(sighting: sighting, unnoted: isNoted ? nil : count)
  }

  /// An evaluation: of a prerequisite before that of the flag that wants it.
  /// - Parameter describe: called at most once, and then calls what it is given with the evaluation.
  func evaluated(
    _ flag: FlagEvents, counted count: EvaluationCount, of context: FrozenContext, _ describe: ((FlagUse) -> Void) -> Void
  ) {
    if let news = news(of: flag, counted: count, of: context) { record(flag, news, context, describe) }
  }

  func record(_ flag: FlagEvents, _ news: News, _ context: FrozenContext, _ describe: ((FlagUse) -> Void) -> Void) {
    let (sighting, unnoted) = (news.sighting, news.unnoted)
    let hasEvents =
      flag.isTracked
      || flag.debuggedUntil > 0 && outlet.isDebugged(flag, at: host.clock.unixMilliseconds)
    if unnoted != nil || hasEvents {
      describe { use in
        if let unnoted { summarize(use, unnoted, sighting.kinds, context) }
        if sighting.isNew { index(context) }
        if hasEvents, let own = seen.description(of: context, redaction) { outlet.recordEvents(of: use, own) }
      }
    } else if sighting.isNew {
      index(context)
    }
  }

  private func summarize(
    _ use: FlagUse, _ count: EvaluationCount, _ kinds: ContextSight.Kinds, _ context: FrozenContext
  ) {
    let names = seen.names(of: kinds) ?? seen.description(of: context, redaction)?.kinds ?? []
    let now = host.clock.unixMilliseconds
    guard case .cell(let word) = count else { return outlet.summaries.count(use, kinds: names, nil, at: now) }
    outlet.summaries.note(use, kinds: names, nil, at: now) { if let word { cells.note(word, kinds) } }
  }

  /// An evaluation of a flag that is not known, or before there are any, for a valid context.
  func unknown(_ key: ByteView, _ fallback: EvaluationFallback?, of context: FrozenContext) {
    let json = fallback?.json
    func record(_ fallback: ByteView?) {
      evaluated(FlagEvents(), counted: .here, of: context) { take in
        take(FlagUse(key: key, flag: nil, result: fallback ?? EventText.null, fallback: fallback, isDetailed: false))
      }
    }
    if let json { json.withBytes { record($0) } } else { record(nil) }
  }

  private func index(_ context: FrozenContext) {
    guard let json = json(of: context) else { return }
    let now = host.clock.unixMilliseconds
    EventText.context(.index, json, at: now) { _ = outlet.add($0, at: now) }
  }

  /// Without anonymous parts where those are omitted (7.7); nil where nothing is left.
  private func json(of context: FrozenContext) -> [UInt8]? {
    guard seenOptions.omitsAnonymous else { return seen.description(of: context, redaction)?.json }
    let rest = (try? LDContext.read(context))?.withoutAnonymousParts
    return rest.map { redaction.json(of: $0, hidingAnonymous: false) }
  }

  // MARK: Events of the host

  /// 7.5.
  /// - Parameter wait: never, on the scheduler's thread.
  func identify(_ context: FrozenContext, waits wait: EventPipeline.Wait = .forCommit) -> Status {
    admitted {
      _ = seen.see(context)
      guard let json = json(of: context) else { return .ok }
      let now = host.clock.unixMilliseconds
      return EventText.context(.identify, json, at: now) { outlet.add($0, at: now, waits: wait) }
    }
  }

  /// 7.5.
  /// - Parameters:
  ///   - key: valid UTF-8.
  ///   - data: JSON text; nil for none.
  func track(
    _ key: ByteView, data: ByteView?, metric: Double?, of context: FrozenContext, at unixMilliseconds: Int64? = nil
  ) -> Status {
    admitted {
      guard let own = seen.description(of: context, redaction) else { return .argument }
      if seen.see(context).isNew { index(context) }
      let now = unixMilliseconds ?? host.clock.unixMilliseconds
      return EventText.custom(key, data: data, metric: metric, own.anonymousJSON, at: now) {
        outlet.add($0, at: now, waits: .forCommit)
      }
    }
  }

  /// What a migration has done (9); sampled by the flag's ratio.
  func record(_ operation: MigrationOperation, of context: FrozenContext) -> Status {
    admitted {
      guard let own = seen.description(of: context, redaction) else { return .argument }
      _ = seen.see(context)
      guard host.entropy.draws(oneOf: operation.flag?.samplingRatio ?? 1) else { return .ok }
      let now = host.clock.unixMilliseconds
      return operation.event(own.anonymousJSON, at: now).withBytes { outlet.add($0, at: now, waits: .forCommit) }
    }
  }

  /// Nothing where events are off; refused once the service has refused them for good.
  private func admitted(_ record: () -> Status) -> Status {
    if outlet.isRecording { return record() }
    return outlet.options.isEnabled ? .rejected : .ok
  }
}

/// Life, on the scheduler's thread.
extension ServerEvents: ClientPart {
  func start() {
    seen.forget()
    outlet.start()
    if outlet.options.isEnabled { forgetLater() }
  }

  private func forgetLater() {
    forgetting?.cancel()
    forgetting = host.scheduler.schedule(afterMilliseconds: seenOptions.milliseconds) { [weak self] in
      guard let self, forgetting != nil else { return }
      seen.forget()
      forgetLater()
    }
  }

  func stop() {
    forgetting?.cancel()
    forgetting = nil
    outlet.stop()
  }

  func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) { outlet.flush(completion) }

  /// Any thread.
  var statistics: [(group: String, name: String, value: Int64)] { outlet.statistics }

  /// On the thread of the child's first call, before anything is recorded in it.
  func forgetAfterFork() {
    outlet.forgetAfterFork()
    seen.forget()
  }

  func abandonAfterFork() {
    forgetting = nil
    outlet.checkpoints.abandonAfterFork()
  }
}

extension ServerEvents {
  /// How many payloads are on their way at once (7.9).
  private static let payloadsAtOnce = 5

  convenience init(host: any ProviderHost, settings: ServerSettings, headers: any HeaderSource) {
    var options = EventOptions(settings.common, path: "bulk")
    options.policy.isServer = true
    options.payloadsAtOnce = Self.payloadsAtOnce
    self.init(host: host, options: options, seen: settings.seen, headers: headers, counts: Self.counts(of: host))
  }
}
