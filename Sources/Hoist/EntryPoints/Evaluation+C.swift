public import CHoist
internal import CShims
internal import HoistBase
internal import HoistCore

@_cdecl("hoist_client_bool") @implementation
public func hoist_client_bool(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ fallback: Bool,
  _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> Bool {
  if detail == nil, let key, let hot = ClientHandle.hot(client),
    let value = HotPath.evaluate(
      hot, CString.bytes(key), ContextHandle.subject(context), .bool, EvaluationFallback(fallback),
      { $0.kind == .bool ? $0.integer != 0 : fallback })
  {
    return value
  }
  return Slow.evaluate(client, key, context, .bool, detail, fallback, EvaluationFallback(fallback)) {
    $0.kind == .bool ? $0.integer != 0 : nil
  }
}

@_cdecl("hoist_client_int64") @implementation
public func hoist_client_int64(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ fallback: Int64,
  _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> Int64 {
  if detail == nil, let key, let hot = ClientHandle.hot(client),
    let value = HotPath.evaluate(
      hot, CString.bytes(key), ContextHandle.subject(context), .int, EvaluationFallback(fallback),
      { $0.kind == .int ? $0.integer : fallback })
  {
    return value
  }
  return Slow.evaluate(client, key, context, .int, detail, fallback, EvaluationFallback(fallback)) {
    $0.kind == .int ? $0.integer : nil
  }
}

@_cdecl("hoist_client_double") @implementation
public func hoist_client_double(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ fallback: Double,
  _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> Double {
  if detail == nil, let key, let hot = ClientHandle.hot(client),
    let value = HotPath.evaluate(
      hot, CString.bytes(key), ContextHandle.subject(context), .double, EvaluationFallback(fallback),
      { Slow.number($0) ?? fallback })
  {
    return value
  }
  return Slow.evaluate(client, key, context, .double, detail, fallback, EvaluationFallback(fallback)) { Slow.number($0) }
}

@_cdecl("hoist_client_string") @implementation
public func hoist_client_string(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ fallback: UnsafePointer<CChar>?,
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> Int {
  let target = TextTarget(buffer, size)
  func copy(_ evaluation: borrowing Evaluation) -> Int? {
    evaluation.kind == .string ? target.put(evaluation.text) : nil
  }
  let own = EvaluationFallback(.string, fallback)
  if detail == nil, let key, let hot = ClientHandle.hot(client),
    let length = HotPath.evaluate(hot, CString.bytes(key), ContextHandle.subject(context), .string, own, { copy($0) })
  {
    return length ?? target.put(fallback)
  }
  if let length = Slow.evaluate(client, key, context, .string, detail, nil, own, { copy($0) }) { return length }
  // NULL counts as "".
  if fallback == nil, let told = detail?.pointee, let answer = Handle<EvaluationDetail>.borrow(told) {
    detail?.pointee = Handle<EvaluationDetail>.give(answer.returning(Array("\"\"".utf8)))
    Handle<EvaluationDetail>.take(told)
  }
  return target.put(fallback)
}

@_cdecl("hoist_client_json") @implementation
public func hoist_client_json(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ fallback: UnsafePointer<CChar>?,
  _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  func copy(_ evaluation: borrowing Evaluation) -> OpaquePointer? {
    evaluation.kind == .json ? TextHandle.give(evaluation.text) : nil
  }
  let own = EvaluationFallback(.json, fallback)
  var text: OpaquePointer?
  if detail == nil, let key, let hot = ClientHandle.hot(client),
    let found = HotPath.evaluate(hot, CString.bytes(key), ContextHandle.subject(context), .json, own, { copy($0) })
  {
    text = found
  } else {
    text = Slow.evaluate(client, key, context, .json, detail, nil, own) { copy($0) }
  }
  if let text { return text }
  guard let fallback else { return TextHandle.give("null") }
  return CString.array(fallback).map { TextHandle.give($0) }
}

@_cdecl("hoist_client_evaluate") @implementation
public func hoist_client_evaluate(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?,
  _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  Slow.detail(client, key, context, [.counted, .detailed], detail)
}

@_cdecl("hoist_client_explain") @implementation
public func hoist_client_explain(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?,
  _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  Slow.detail(client, key, context, [.explained, .detailed], detail)
}

@_cdecl("hoist_client_all_flags") @implementation
public func hoist_client_all_flags(_ client: OpaquePointer?, _ context: OpaquePointer?) -> OpaquePointer? {
  ClientHandle.borrow(client).map { TextHandle.give($0.allFlags(ContextHandle.subject(context))) }
}

/// Evaluations that need the client object: details, hooks, unknown flags, errors.
enum Slow {
  static func evaluate<Value>(
    _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ want: WantedType,
    _ detail: UnsafeMutablePointer<OpaquePointer?>?, _ fallback: Value, _ told: EvaluationFallback, options: UInt32 = 0,
    _ read: (borrowing Evaluation) -> Value?
  ) -> Value {
    detail?.pointee = nil
    guard let client = ClientHandle.borrow(client) else { return fallback }
    let mode: EvaluationMode = detail == nil ? .counted : [.counted, .detailed]
    return client.evaluate(key.map { CString.bytes($0) }, ContextHandle.subject(context), want, mode, told, options: options) {
      evaluation, answer in
      detail?.pointee = Handle<EvaluationDetail>.give(answer())
      return read(evaluation) ?? fallback
    }
  }

  static func detail(
    _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ mode: EvaluationMode,
    _ detail: UnsafeMutablePointer<OpaquePointer?>?
  ) -> hoist_status {
    detail?.pointee = nil
    guard let detail, let key, let client = ClientHandle.borrow(client) else { return Status.argument.rawValue }
    client.evaluate(CString.bytes(key), ContextHandle.subject(context), .any, mode) { _, told in
      detail.pointee = Handle<EvaluationDetail>.give(told())
    }
    return Status.ok.rawValue
  }

  @inline(__always)
  static func number(_ evaluation: borrowing Evaluation) -> Double? {
    switch evaluation.kind {
    case .double: evaluation.number
    case .int: Double(evaluation.integer)
    default: nil
    }
  }
}

/// A caller's buffer for text.
struct TextTarget {
  private let buffer: UnsafeMutablePointer<CChar>?
  private let size: Int

  init(_ buffer: UnsafeMutablePointer<CChar>?, _ size: Int) {
    self.buffer = buffer
    self.size = buffer == nil ? 0 : max(0, size)
  }

  func put(_ text: UnsafePointer<CChar>?) -> Int {
    guard let text else { return put(ByteView(start: nil, count: 0)) }
    let bytes = CString.bytes(text)
    return UTF8Text.isValid(bytes) ? put(bytes) : put(ByteView(start: nil, count: 0))
  }

  /// Copies what fits, cut between characters, and a NUL; returns the whole length.
  func put(_ bytes: ByteView) -> Int {
    guard let buffer, size > 0 else { return bytes.count }
    var count = min(bytes.count, size - 1)
    if count < bytes.count {
      while count > 0, bytes[count] & 0xC0 == 0x80 { count -= 1 }
    }
    if let start = bytes.baseAddress, count > 0 {
      UnsafeMutableRawPointer(buffer).copyMemory(from: start, byteCount: count)
    }
    buffer[count] = 0
    return bytes.count
  }
}
