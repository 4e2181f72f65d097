public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistLaunchDarkly

@_cdecl("hoist_launchdarkly_all_flags") @implementation
public func hoist_launchdarkly_all_flags(_ client: OpaquePointer?) -> OpaquePointer? {
  LaunchDarklyFace.text(of: client, orElse: "null", \.allFlags)
}

@_cdecl("hoist_launchdarkly_int_variation") @implementation
public func hoist_launchdarkly_int_variation(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ fallback: Int64, _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> Int64 {
  hoist_launchdarkly_int_variation_for(client, key, nil, fallback, detail)
}

@_cdecl("hoist_launchdarkly_int_variation_for") @implementation
public func hoist_launchdarkly_int_variation_for(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ context: OpaquePointer?, _ fallback: Int64,
  _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> Int64 {
  let told = EvaluationFallback(fallback)
  let options = LaunchDarklyAnyFace.of(client) == nil ? 0 : VariationOptions.cutsFractions
  if detail == nil, options != 0, let key, let hot = ClientHandle.hot(client),
    let value = HotPath.evaluate(
      hot, CString.bytes(key), ContextHandle.subject(context), .int, told, options: options,
      { $0.kind == .int ? $0.integer : fallback })
  {
    return value
  }
  return Slow.evaluate(client, key, context, .int, detail, fallback, told, options: options) {
    $0.kind == .int ? $0.integer : nil
  }
}

@_cdecl("hoist_launchdarkly_detail_reason") @implementation
public func hoist_launchdarkly_detail_reason(_ detail: OpaquePointer?) -> OpaquePointer? {
  Handle<EvaluationDetail>.borrow(detail).map { TextHandle.give(DetailReason.json($0), orElse: "null") }
}

@_cdecl("hoist_launchdarkly_detail_error_kind") @implementation
public func hoist_launchdarkly_detail_error_kind(_ detail: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<EvaluationDetail>.borrow(detail).map { Constants.pointer(DetailReason.errorKind($0) ?? "") }
}

@_cdecl("hoist_launchdarkly_detail_variation_index") @implementation
public func hoist_launchdarkly_detail_variation_index(_ detail: OpaquePointer?, _ index: UnsafeMutablePointer<Int64>?) -> Bool {
  guard let found = Handle<EvaluationDetail>.borrow(detail).flatMap({ DetailReason.variationIndex($0) }) else { return false }
  index?.pointee = found
  return true
}

@_cdecl("hoist_launchdarkly_variation_decode") @implementation
public func hoist_launchdarkly_variation_decode(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ decode: hoist_launchdarkly_decode?,
  _ userData: UnsafeMutableRawPointer?, _ fallback: UnsafePointer<CChar>?, _ detail: UnsafeMutablePointer<OpaquePointer?>?
) -> Bool {
  detail?.pointee = nil
  guard let face = LaunchDarklyAnyFace.of(client), let key, let decode else { return false }
  let result = face.decode(
    CString.bytes(key), fallback: EvaluationFallback(.json, fallback), isDetailed: detail != nil
  ) { value in
    guard let start = value.baseAddress else { return false }
    return decode(start.assumingMemoryBound(to: CChar.self), value.count, userData)
  }
  detail?.pointee = Handle<EvaluationDetail>.give(result.detail)
  return result.isConverted
}
