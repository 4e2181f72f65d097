internal import CHoist
internal import HoistBase
internal import HoistCore

@_cdecl("hoist_view_new") @implementation
public func hoist_view_new(_ client: OpaquePointer?, _ context: OpaquePointer?) -> OpaquePointer? {
  // A view without a client answers with fallbacks; so does one whose context is not a context.
  guard let client = ClientHandle.borrow(client), context == nil || ContextHandle.borrow(context) != nil else {
    return Handle<ViewBox>.give(ViewBox(nil))
  }
  return Handle<ViewBox>.give(ViewBox(FlagView(client, ContextHandle.borrow(context)?.reference())))
}

@_cdecl("hoist_view_free") @implementation
public func hoist_view_free(_ view: OpaquePointer?) { Handle<ViewBox>.take(view) }

@_cdecl("hoist_view_bool") @implementation
public func hoist_view_bool(_ view: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: Bool) -> Bool {
  ViewBox.read(view, key, .bool, EvaluationFallback(fallback)) { $0.kind == .bool ? $0.integer != 0 : fallback } ?? fallback
}

@_cdecl("hoist_view_int64") @implementation
public func hoist_view_int64(_ view: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: Int64) -> Int64 {
  ViewBox.read(view, key, .int, EvaluationFallback(fallback)) { $0.kind == .int ? $0.integer : fallback } ?? fallback
}

@_cdecl("hoist_view_double") @implementation
public func hoist_view_double(_ view: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: Double) -> Double {
  ViewBox.read(view, key, .double, EvaluationFallback(fallback)) { Slow.number($0) ?? fallback } ?? fallback
}

@_cdecl("hoist_view_string") @implementation
public func hoist_view_string(
  _ view: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: UnsafePointer<CChar>?,
  _ length: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>? {
  ViewBox.text(view, key, .string, fallback, length) { $0.kind == .string ? $0.text : ByteView(start: nil, count: 0) }
}

@_cdecl("hoist_view_json") @implementation
public func hoist_view_json(
  _ view: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: UnsafePointer<CChar>?,
  _ length: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>? {
  ViewBox.text(view, key, .json, fallback, length) { $0.kind == .json ? $0.text : ByteView(start: nil, count: 0) }
}

@_cdecl("hoist_view_variation") @implementation
public func hoist_view_variation(
  _ view: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: UnsafePointer<CChar>?,
  _ length: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>? {
  ViewBox.text(view, key, .any, fallback, length) { $0.variation }
}

/// What a `hoist_view` handle holds: a view, or nothing when there was no client.
final class ViewBox: Sendable {
  let view: FlagView?
  init(_ view: FlagView?) { self.view = view }

  @inline(__always)
  static func read<Result>(
    _ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ want: WantedType, _ fallback: EvaluationFallback,
    _ body: (borrowing Evaluation) -> Result
  ) -> Result? {
    guard let handle, let key else { return nil }
    return Unmanaged<ViewBox>.fromOpaque(UnsafeRawPointer(handle))._withUnsafeGuaranteedRef { box in
      box.view?.evaluate(CString.bytes(key), want, fallback, body)
    }
  }

  /// A text inside the snapshot, or the fallback.
  @inline(__always)
  static func text(
    _ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ want: WantedType, _ fallback: UnsafePointer<CChar>?,
    _ length: UnsafeMutablePointer<Int>?, _ pick: (borrowing Evaluation) -> ByteView
  ) -> UnsafePointer<CChar>? {
    let found = read(handle, key, want, EvaluationFallback(want == .json ? .json : .string, fallback), pick)
    if let found, let start = found.baseAddress {
      length?.pointee = found.count
      return start.assumingMemoryBound(to: CChar.self)
    }
    length?.pointee = fallback.map { CString.bytes($0).count } ?? 0
    return fallback
  }
}
