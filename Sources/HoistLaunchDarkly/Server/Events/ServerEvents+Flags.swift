internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Evaluations of a server's flags, as events and summaries report them (protocols/launchdarkly-server.md 7.1 to 7.4).
extension ServerEvents {
  /// An evaluation that was counted in its cell. Its prerequisites are counted and told of before it: they are gone through
  /// once more. Any thread.
  func record(_ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext) {
    let flag = snapshot.serverFlag(record)
    if flag.pointee.traits.contains(.on), flag.pointee.prerequisites.count > 0 {
      recordPrerequisites(of: flag, snapshot, context, isDetailed: evaluation.isDetailed)
    }
    let events = FlagEvents(flag, ServerReason(evaluation.outcome))
    let count = EvaluationCount.cell(snapshot.word(ofCell: evaluation.firstCell))
    if let news = news(of: events, counted: count, of: context) { self.record(evaluation, flag, events, news, snapshot, context) }
  }

  @inline(never)
  private func record(
    _ evaluation: borrowing Evaluation, _ flag: UnsafePointer<ServerFlagRecord>, _ events: FlagEvents, _ news: News,
    _ snapshot: Snapshot, _ context: FrozenContext
  ) {
    let (reason, isDetailed) = (ServerReason(evaluation.outcome), evaluation.isDetailed)
    let (variation, kind, integer) = (evaluation.variationIndex, evaluation.kind, evaluation.integer)
    let given = evaluation.fallback
    record(events, news, context) { take in
      let fallback = given?.pointee.json
      Self.withBytes(fallback) { fallback in
        let own = kind == .int ? Array("\(integer)".utf8) : nil
        Self.withBytes(own) { own in
          let value = own ?? snapshot.value(of: flag, variation) ?? fallback ?? EventText.null
          describe(flag, snapshot, variation, value, reason, isDetailed) { use in
            var use = use
            use.fallback = fallback
            take(use)
          }
        }
      }
    }
  }

  /// What the flags that a client serves have counted.
  static func counts(of host: any ProviderHost) -> ServerCells.Drain {
    { body in
      host.drainCounts { snapshot, record, cell, count in
        body(snapshot.serverFlag(record).pointee.key.bytes(snapshot.base), snapshot.serverIdentity(record, cell), count)
      }
    }
  }

  private func recordPrerequisites(
    of flag: UnsafePointer<ServerFlagRecord>, _ snapshot: Snapshot, _ context: FrozenContext, isDetailed: Bool
  ) {
    guard outlet.isRecording, var evaluator = ServerEvaluator(snapshot.base, context.base, PrerequisiteList(of: flag)) else {
      return
    }
    evaluator.isRepeated = true
    _ = evaluator.evaluate(flag)
    for entry in evaluator.watch.entries {
      let (flag, reason) = (entry.flag, entry.result.reason)
      evaluated(FlagEvents(flag, reason), counted: .here, of: context) { take in
        let value = snapshot.value(of: flag, entry.result.variation) ?? EventText.null
        describe(flag, snapshot, entry.result.variation, value, reason, isDetailed) { use in
          var use = use
          use.prerequisiteOf = entry.dependent.pointee.key.bytes(snapshot.base)
          take(use)
        }
      }
    }
  }

  private func describe(
    _ flag: UnsafePointer<ServerFlagRecord>, _ snapshot: Snapshot, _ variation: Int32, _ value: ByteView, _ reason: ServerReason,
    _ isDetailed: Bool, _ take: (FlagUse) -> Void
  ) {
    var facts = FlagFacts(
      key: flag.pointee.key.bytes(snapshot.base), variation: variation < 0 ? nil : Int64(variation),
      version: flag.pointee.version, value: value)
    facts.events = FlagEvents(flag, reason)
    var writer = JSONWriter()
    if facts.events.isMoreThanACount, isDetailed || facts.events.tracksReason { reason.write(to: &writer, snapshot.base) }
    writer.bytes.withUnsafeBytes { text in
      facts.reason = text.isEmpty ? nil : text
      take(FlagUse(key: facts.key, flag: facts, result: value, fallback: nil, isDetailed: isDetailed))
    }
  }

  private static func withBytes(_ text: [UInt8]?, _ body: (ByteView?) -> Void) {
    if let text { text.withUnsafeBytes { body($0) } } else { body(nil) }
  }
}

extension FlagEvents {
  @inline(__always)
  init(_ flag: UnsafePointer<ServerFlagRecord>, _ reason: ServerReason) {
    let traits = flag.pointee.traits
    isTracked = reason.isTracked || traits.contains(.tracked)
    tracksReason = reason.isTracked
    isLeftOut = traits.contains(.leftOutOfSummaries)
    debuggedUntil = traits.contains(.hasDebugDate) ? flag.pointee.debuggedUntil : 0
    samplingRatio = flag.pointee.samplingRatio
  }
}

extension Snapshot {
  /// JSON text of a flag's value; nil for none.
  fileprivate func value(of flag: UnsafePointer<ServerFlagRecord>, _ variation: Int32) -> ByteView? {
    guard 0..<Int64(flag.pointee.variations.count) ~= Int64(variation) else { return nil }
    return base.at(flag.pointee.variations.first.at(Int(variation))).pointee.json.bytes(base)
  }

  /// Where is written for whom a counter was noted; nil for one that has no such place.
  fileprivate func word(ofCell cell: UInt32) -> UnsafeMutablePointer<UInt32>? {
    let root = root(as: ServerRoot.self)
    return cell < root.pointee.wordCount ? UnsafeMutablePointer(mutating: base.at(root.pointee.words) + Int(cell)) : nil
  }

  /// What a counter of a flag's counts: the evaluations of one variation, and the last of those of none.
  func serverIdentity(_ record: UnsafeRawPointer, _ cell: UInt32) -> CounterIdentity {
    let flag = serverFlag(record)
    return CounterIdentity(variation: cell < flag.pointee.variations.count ? Int64(cell) : nil, version: flag.pointee.version)
  }
}
