public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistKameleoon

// A handle on a variation or a variable is its address in the configuration, which stays alive as long as there is a
// handle.

private func variable(_ handle: OpaquePointer?) -> KameleoonVariable? { handle.map { KameleoonVariable(UnsafeRawPointer($0)) } }
private func variation(_ handle: OpaquePointer?) -> KameleoonVariation? {
  handle.map { KameleoonVariation(UnsafeRawPointer($0)) }
}

/// A text of the configuration, which has a NUL behind it; "" for an empty one. nil for nil.
private func pointer(_ bytes: ByteView?) -> UnsafePointer<CChar>? { bytes.map { $0.chars ?? Constants.empty } }

@_cdecl("hoist_kameleoon_variable_key") @implementation
public func hoist_kameleoon_variable_key(_ variable: OpaquePointer?) -> UnsafePointer<CChar>? {
  pointer(Hoist.variable(variable)?.key)
}

@_cdecl("hoist_kameleoon_variable_type") @implementation
public func hoist_kameleoon_variable_type(_ variable: OpaquePointer?) -> UnsafePointer<CChar>? {
  pointer(Hoist.variable(variable)?.type)
}

@_cdecl("hoist_kameleoon_variable_kind") @implementation
public func hoist_kameleoon_variable_kind(_ variable: OpaquePointer?) -> hoist_kameleoon_value_kind {
  (Hoist.variable(variable)?.kind ?? .null).rawValue
}

@_cdecl("hoist_kameleoon_variable_bool") @implementation
public func hoist_kameleoon_variable_bool(_ variable: OpaquePointer?, _ fallback: Bool) -> Bool {
  Hoist.variable(variable)?.bool ?? fallback
}

@_cdecl("hoist_kameleoon_variable_int64") @implementation
public func hoist_kameleoon_variable_int64(_ variable: OpaquePointer?, _ fallback: Int64) -> Int64 {
  Hoist.variable(variable)?.int ?? fallback
}

@_cdecl("hoist_kameleoon_variable_double") @implementation
public func hoist_kameleoon_variable_double(_ variable: OpaquePointer?, _ fallback: Double) -> Double {
  Hoist.variable(variable)?.double ?? fallback
}

@_cdecl("hoist_kameleoon_variable_string") @implementation
public func hoist_kameleoon_variable_string(_ variable: OpaquePointer?) -> UnsafePointer<CChar>? {
  Hoist.variable(variable).map { $0.string?.chars ?? Constants.empty }
}

@_cdecl("hoist_kameleoon_variable_json") @implementation
public func hoist_kameleoon_variable_json(_ variable: OpaquePointer?) -> UnsafePointer<CChar>? {
  pointer(Hoist.variable(variable)?.json)
}

@_cdecl("hoist_kameleoon_variable_free") @implementation
public func hoist_kameleoon_variable_free(_ variable: OpaquePointer?) { Hoist.variable(variable)?.release() }

@_cdecl("hoist_kameleoon_variation_key") @implementation
public func hoist_kameleoon_variation_key(_ variation: OpaquePointer?) -> UnsafePointer<CChar>? {
  pointer(Hoist.variation(variation)?.key)
}

@_cdecl("hoist_kameleoon_variation_name") @implementation
public func hoist_kameleoon_variation_name(_ variation: OpaquePointer?) -> UnsafePointer<CChar>? {
  pointer(Hoist.variation(variation)?.name)
}

@_cdecl("hoist_kameleoon_variation_id") @implementation
public func hoist_kameleoon_variation_id(_ variation: OpaquePointer?) -> Int64 { Hoist.variation(variation)?.id ?? -1 }

@_cdecl("hoist_kameleoon_variation_experiment_id") @implementation
public func hoist_kameleoon_variation_experiment_id(_ variation: OpaquePointer?) -> Int64 {
  Hoist.variation(variation)?.experimentID ?? -1
}

@_cdecl("hoist_kameleoon_variation_is_active") @implementation
public func hoist_kameleoon_variation_is_active(_ variation: OpaquePointer?) -> Bool {
  Hoist.variation(variation)?.isActive ?? false
}

@_cdecl("hoist_kameleoon_variation_variable_count") @implementation
public func hoist_kameleoon_variation_variable_count(_ variation: OpaquePointer?) -> Int {
  Hoist.variation(variation)?.variableCount ?? 0
}

@_cdecl("hoist_kameleoon_variation_variable_at") @implementation
public func hoist_kameleoon_variation_variable_at(_ variation: OpaquePointer?, _ index: Int) -> OpaquePointer? {
  Hoist.variation(variation)?.variable(at: index).map { OpaquePointer($0.address) }
}

@_cdecl("hoist_kameleoon_variation_variable") @implementation
public func hoist_kameleoon_variation_variable(_ variation: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let variation = Hoist.variation(variation), let key else { return nil }
  return variation.variable(CString.bytes(key)).map { OpaquePointer($0.address) }
}

@_cdecl("hoist_kameleoon_variation_to_json") @implementation
public func hoist_kameleoon_variation_to_json(_ variation: OpaquePointer?) -> OpaquePointer? {
  Hoist.variation(variation).map { TextHandle.give($0.text) }
}

@_cdecl("hoist_kameleoon_variation_free") @implementation
public func hoist_kameleoon_variation_free(_ variation: OpaquePointer?) { Hoist.variation(variation)?.release() }

@_cdecl("hoist_kameleoon_variations_count") @implementation
public func hoist_kameleoon_variations_count(_ variations: OpaquePointer?) -> Int {
  Handle<VariationList>.borrow(variations)?.count ?? 0
}

@_cdecl("hoist_kameleoon_variations_key_at") @implementation
public func hoist_kameleoon_variations_key_at(_ variations: OpaquePointer?, _ index: Int) -> UnsafePointer<CChar>? {
  pointer(Handle<VariationList>.borrow(variations)?.key(at: index))
}

@_cdecl("hoist_kameleoon_variations_at") @implementation
public func hoist_kameleoon_variations_at(_ variations: OpaquePointer?, _ index: Int) -> OpaquePointer? {
  Handle<VariationList>.borrow(variations)?.variation(at: index).map { OpaquePointer($0.address) }
}

@_cdecl("hoist_kameleoon_variations_find") @implementation
public func hoist_kameleoon_variations_find(_ variations: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let variations = Handle<VariationList>.borrow(variations), let key else { return nil }
  return variations.variation(CString.bytes(key)).map { OpaquePointer($0.address) }
}

@_cdecl("hoist_kameleoon_variations_free") @implementation
public func hoist_kameleoon_variations_free(_ variations: OpaquePointer?) { Handle<VariationList>.take(variations) }
