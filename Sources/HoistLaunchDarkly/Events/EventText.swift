internal import HoistBase
internal import HoistJSON

/// The text of one event as in a payload, made on the stack unless it is long: recording allocates nothing.
struct EventText {
  /// Room for the names, numbers and punctuation of any event, beside its texts.
  private static let frameBytes = 256

  private static let nullText: StaticString = "null"
  static var null: ByteView { nullText.withBytes { $0 } }

  private let start: UnsafeMutablePointer<UInt8>
  private var count = 0

  private init(_ start: UnsafeMutablePointer<UInt8>) { self.start = start }

  /// - Parameters:
  ///   - bytes: what the texts take at most.
  ///   - write: writes the event, without its closing brace.
  private static func with<Result>(
    _ bytes: Int, _ write: (inout EventText) -> Void, _ body: (ByteView) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes + frameBytes) { room in
      guard let start = room.baseAddress else { return body(ByteView(start: nil, count: 0)) }
      var text = EventText(start)
      write(&text)
      text.add("}")
      return body(ByteView(start: start, count: text.count))
    }
  }

  private mutating func add(_ text: StaticString) {
    (start + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  private mutating func add(_ bytes: ByteView) {
    guard let source = bytes.baseAddress else { return }
    UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  private mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }
  private mutating func add(string text: ByteView) { count += JSONRawText.writeString(text, to: start + count) }
  private mutating func add(number: Double) { count += JSONRawText.writeNumber(number, to: start + count) }

  private mutating func add(integer: Int64) { count += JSONRawText.writeInteger(integer, to: start + count) }
}

/// The kinds of events (4.4).
extension EventText {
  /// 4.4.1.
  static func identify<Result>(_ context: EventContext, at unixMilliseconds: Int64, _ body: (ByteView) -> Result) -> Result {
    with(context.key.count + context.json.count) { text in
      text.add(#"{"kind":"identify","key":"#)
      text.add(context.key)
      text.add(#","creationDate":"#)
      text.add(integer: unixMilliseconds)
      text.add(#","context":"#)
      text.add(context.json)
    } _: {
      body($0)
    }
  }

  enum ContextKind {
    case index, identify
  }

  /// Server 7.2 and 7.5: nothing but a context.
  /// - Parameter context: JSON text.
  static func context<Result>(
    _ kind: ContextKind, _ context: [UInt8], at unixMilliseconds: Int64, _ body: (ByteView) -> Result
  ) -> Result {
    with(context.count) { text in
      text.add(kind == .index ? #"{"kind":"index","creationDate":"# : #"{"kind":"identify","creationDate":"#)
      text.add(integer: unixMilliseconds)
      text.add(#","context":"#)
      text.add(context)
    } _: {
      body($0)
    }
  }

  /// 4.4.4.
  /// - Parameters:
  ///   - key: valid UTF-8.
  ///   - data: JSON text; nil for none.
  ///   - context: JSON text.
  static func custom<Result>(
    _ key: ByteView, data: ByteView?, metric: Double?, _ context: [UInt8], at unixMilliseconds: Int64,
    _ body: (ByteView) -> Result
  ) -> Result {
    with(JSONRawText.maximumStringBytes(key.count) + (data?.count ?? 0) + context.count) { text in
      text.add(#"{"kind":"custom","key":"#)
      text.add(string: key)
      text.add(#","creationDate":"#)
      text.add(integer: unixMilliseconds)
      text.add(#","context":"#)
      text.add(context)
      if let data {
        text.add(#","data":"#)
        text.add(data)
      }
      if let metric, metric.isFinite {
        text.add(#","metricValue":"#)
        text.add(number: metric)
      }
    } _: {
      body($0)
    }
  }

  enum EvaluationKind {
    case feature, debug
  }

  /// 4.4.2 and 4.4.3.
  static func evaluation<Result>(
    _ kind: EvaluationKind, _ use: FlagUse, _ context: EventContext, at unixMilliseconds: Int64, _ body: (ByteView) -> Result
  ) -> Result {
    let told = kind == .feature ? context.anonymousJSON : context.json
    let reason = use.isDetailed || use.flag?.events.tracksReason == true ? use.flag?.reason : nil
    let texts = use.result.count + (use.fallback?.count ?? 0) + (reason?.count ?? 0) + told.count
    let keys = use.key.count + (use.prerequisiteOf?.count ?? 0)
    return with(JSONRawText.maximumStringBytes(keys) + texts) { text in
      text.add(kind == .feature ? #"{"kind":"feature","key":"# : #"{"kind":"debug","key":"#)
      text.add(string: use.key)
      text.add(#","creationDate":"#)
      text.add(integer: unixMilliseconds)
      text.add(#","context":"#)
      text.add(told)
      if let version = use.flag?.version {
        text.add(#","version":"#)
        text.add(integer: version)
      }
      if let variation = use.flag?.variation {
        text.add(#","variation":"#)
        text.add(integer: variation)
      }
      text.add(#","value":"#)
      text.add(use.result)
      text.add(#","default":"#)
      if let fallback = use.fallback { text.add(fallback) } else { text.add("null") }
      if let wanting = use.prerequisiteOf {
        text.add(#","prereqOf":"#)
        text.add(string: wanting)
      }
      if let reason {
        text.add(#","reason":"#)
        text.add(reason)
      }
    } _: {
      body($0)
    }
  }
}
