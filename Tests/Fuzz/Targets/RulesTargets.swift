import HoistBase
import HoistCore
import HoistJSON
import HoistLaunchDarkly

/// Messages about a server's flags and segments, one a line, each after the letter of its kind, and contexts: what is refused
/// changes nothing, no patch brings an older version back, and every flag is decided for every context, the same way twice.
func checkRules(_ bytes: ByteView) -> String? {
  let replay = ServerReplay(regex: engine) { hash in (["known.g1": hash.utf8.count % 2 == 0], "HEALTHY") }
  var contexts = givenContexts
  for line in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 64) {
    let data = ByteView(rebasing: line.dropFirst())
    guard let event = events[line.first ?? 0] else {
      if let read = try? LDContext.read(json: data), let context = read.reference { contexts.append(context) }
      continue
    }
    if let problem = apply(event, data, to: replay) { return problem }
  }
  for context in contexts.suffix(4) {
    if let problem = checkAnswers(of: replay, context) { return problem }
  }
  return nil
}

private let events: [UInt8: String] = [
  UInt8(ascii: "p"): "put", UInt8(ascii: "o"): "poll", UInt8(ascii: "u"): "patch", UInt8(ascii: "d"): "delete",
]

private let givenContexts: [ContextReference] = [
  #"{"kind":"user","key":"one","plan":"pro","age":30,"tags":["a",1,null],"address":{"city":"Oslo"}}"#,
  #"{"kind":"multi","user":{"key":"one","since":"2024-01-01T00:00:00Z"},"org":{"key":"two","version":"1.2.3-b"}}"#,
].compactMap { $0.withBytes { try? LDContext.read(json: $0) }?.reference }

private func apply(_ event: String, _ data: ByteView, to replay: ServerReplay) -> String? {
  let (before, snapshot) = (versions(of: replay), replay.snapshot?.base)
  let outcome = replay.apply(event, data)
  let after = versions(of: replay)
  guard case .applied = outcome else {
    let isAsBefore = after == before && (snapshot == nil || replay.snapshot?.base == snapshot)
    return isAsBefore ? nil : "a refused message has changed something"
  }
  guard event == "patch" || event == "delete" else { return nil }
  if after.count > before.count + 1 { return "a message about one item has changed several" }
  for (item, version) in before {
    guard let now = after[item] else { return "a message about one item has lost another" }
    if number(now) < number(version) { return "an older version is served" }
  }
  return nil
}

/// Of a deleted item it stands as a negative number less one.
private func number(_ version: Int64) -> Int64 { version < 0 ? -(version &+ 1) : version }

private func versions(of replay: ServerReplay) -> [String: Int64] {
  replay.versions(ofSegments: false).reduce(into: replay.versions(ofSegments: true)) { all, flag in
    all["flag " + flag.key] = flag.value
  }
}

private func checkAnswers(of replay: ServerReplay, _ context: ContextReference) -> String? {
  for options: FlagsStateOptions in [[], [.withReasons], [.withReasons, .detailsOnlyForTrackedFlags]] {
    let state = replay.allFlags(context, options, now: 1_700_000_000_000)
    if state.withBytes({ (try? JSONNode.parse($0) { _ in true }) == nil }) { return "the flags' state is no JSON" }
  }
  guard let snapshot = replay.snapshot else { return nil }
  for index in 0..<min(snapshot.flagCount, 64) {
    let key = Array(snapshot.name(of: snapshot.record(at: index)))
    for want in [WantedType.bool, .int, .double, .string, .json, .any] {
      let answers = (0..<2).map { _ in replay.evaluate(key, context, want) { Answer($0, want, metadata: $1) } }
      guard let first = answers[0], let second = answers[1] else { return "a flag that is served is not found" }
      if first != second { return "a flag is decided otherwise the second time" }
      if !first.isOfType { return "an answer of another type" }
    }
    _ = replay.prerequisites(of: key, context)
  }
  return nil
}

private struct Answer: Equatable {
  let variation: Int32
  let code: ErrorCode
  let reason: Reason
  let text: [UInt8]
  let metadata: [UInt8]
  let isOfType: Bool

  init(_ evaluation: borrowing Evaluation, _ want: WantedType, metadata: [UInt8]) {
    variation = evaluation.variationIndex
    code = evaluation.errorCode
    reason = evaluation.reason
    text = Array(evaluation.text)
    self.metadata = metadata
    let kind = evaluation.kind
    isOfType = kind == .none || want == .any || kind.rawValue == want.rawValue
  }
}
