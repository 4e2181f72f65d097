import HoistBase
import HoistCore

@testable import HoistLaunchDarkly

/// Events without a client: for replaying what a host does. Not thread-safe.
final class EventReplay {
  private let recorder: EventRecorder
  private let redaction: Redaction
  private let flags = FlagReplay()
  private let cells: Cells

  /// What cells would have counted.
  private final class Cells: CountedFlags {
    private let flags: FlagReplay
    var kept: [(key: [UInt8], identity: CounterIdentity, count: UInt64)] = []

    init(_ flags: FlagReplay) { self.flags = flags }

    func drain(_ body: (ByteView, CounterIdentity, UInt64, EventContext?) -> Void) {
      for entry in kept { entry.key.withBytes { body($0, entry.identity, entry.count, nil) } }
      kept = []
    }

    func beginPeriod() { flags.snapshot?.beginPeriod() }
  }

  private struct PlainHeaders: HeaderSource {
    func prepare(_ own: [HTTPHeader], for url: String, completion: @escaping @Sendable ([HTTPHeader]) -> Void) { completion(own) }
  }

  /// - Parameters:
  ///   - host: whose transport gets the payloads, and whose scheduler is to be run.
  ///   - context: to begin with.
  init(host: any ProviderHost, capacity: Int, redaction: Redaction, context: LDContext) {
    var options = EventOptions(
      policy: LaunchDarklyEventPolicy.Options(url: "https://events.test/mobile/events/bulk"))
    options.capacity = capacity
    options.durability = .memory
    self.redaction = redaction
    cells = Cells(flags)
    recorder = EventRecorder(host: host, options: options, headers: PlainHeaders(), cells: cells)
    recorder.start()
    recorder.onlineChanged(true)
    recorder.identify(EventContext(context, redaction))
  }

  func identify(_ context: LDContext) { recorder.identify(EventContext(context, redaction)) }

  /// - Parameter document: the text of a `put`.
  func serve(_ document: [UInt8]) { document.withBytes { _ = flags.apply("put", $0) } }

  /// - Parameter fallback: JSON text.
  func evaluate(_ key: String, _ want: WantedType, fallback: [UInt8], isDetailed: Bool) {
    key.withBytes { key in
      fallback.withBytes { text in
        withUnsafePointer(to: EvaluationFallback(.json, text)) { evaluate(key, want, $0, isDetailed) }
      }
    }
  }

  private func evaluate(
    _ key: ByteView, _ want: WantedType, _ fallback: UnsafePointer<EvaluationFallback>, _ isDetailed: Bool
  ) {
    guard let snapshot = flags.snapshot, let record = snapshot.find(key) else {
      return recorder.countUnknown(key, fallback.pointee)
    }
    var evaluation = Evaluation(want: want, isDetailed: isDetailed)
    evaluation.fallback = fallback
    evaluation.options = VariationOptions.cutsFractions
    snapshot.head.pointee.evaluate(snapshot.base, record, nil, &evaluation)
    if evaluation.firstCell != .max {
      cells.kept.append((Array(key), CounterIdentity(snapshot.flag(record)), 1))
    }
    if evaluation.effects.contains(.record) { recorder.record(evaluation, snapshot: snapshot, record: record) }
  }

  /// - Parameter data: JSON text; nil for none.
  func track(_ key: String, data: [UInt8]?, metric: Double?) {
    key.withBytes { key in
      func track(_ data: ByteView?) { _ = recorder.track(key, data: data, metric: metric) }
      if let data { data.withBytes { track(EventData.isSomething($0) == true ? $0 : nil) } } else { track(nil) }
    }
  }

  func flush() { recorder.flush { _ in } }
}
