public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistJSON
internal import HoistKameleoon

@_cdecl("hoist_kameleoon_visitor_is_feature_active") @implementation
public func hoist_kameleoon_visitor_is_feature_active(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ track: Bool, _ active: UnsafeMutablePointer<Bool>?
) -> hoist_status {
  active?.pointee = false
  guard let active, let key = CString.view(key) else { return Status.argument.rawValue }
  return Handle<KameleoonVisitor>.with(visitor) { visitor in
    let answer = visitor.isFeatureActive(key, isTracked: track)
    active.pointee = answer.isActive
    return answer.status.rawValue
  } ?? Status.argument.rawValue
}

@_cdecl("hoist_kameleoon_visitor_variation") @implementation
public func hoist_kameleoon_visitor_variation(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ track: Bool,
  _ variation: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  variation?.pointee = nil
  guard let variation, let key = CString.view(key) else { return Status.argument.rawValue }
  return Handle<KameleoonVisitor>.with(visitor) { visitor in
    let answer = visitor.variation(key, isTracked: track)
    variation.pointee = answer.variation.map { OpaquePointer($0.address) }
    return answer.status.rawValue
  } ?? Status.argument.rawValue
}

@_cdecl("hoist_kameleoon_visitor_variations") @implementation
public func hoist_kameleoon_visitor_variations(
  _ visitor: OpaquePointer?, _ onlyActive: Bool, _ track: Bool, _ variations: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  give(visitor, variations) { $0.variations(onlyActive: onlyActive, isTracked: track).map { Handle<VariationList>.give($0) } }
}

@_cdecl("hoist_kameleoon_visitor_active_features") @implementation
public func hoist_kameleoon_visitor_active_features(
  _ visitor: OpaquePointer?, _ variations: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  give(visitor, variations) { $0.activeVariations.map { Handle<VariationList>.give($0) } }
}

@_cdecl("hoist_kameleoon_visitor_active_feature_list") @implementation
public func hoist_kameleoon_visitor_active_feature_list(
  _ visitor: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? { KameleoonListing.activeFeatures(visitor, error) }

/// What calls that the vendor has deprecated give, for their own entry points and for those of jansson.h.
enum KameleoonListing {
  static func activeFeatures(_ visitor: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> OpaquePointer? {
    result(error) {
      guard let list = try Handle<KameleoonVisitor>.need(visitor, "visitor").activeVariations else {
        throw Refusal(.kameleoonSDKNotReady, KameleoonFace.reason(.kameleoonSDKNotReady))
      }
      var writer = JSONWriter()
      writer.array { writer in
        for index in 0..<list.count { writer.string(utf8: (list.key(at: index) ?? .noBytes).bindMemory(to: UInt8.self)) }
      }
      return TextHandle.give(writer.bytes)
    }
  }

  static func variables(
    _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ variationKey: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
  ) -> OpaquePointer? {
    read(client, error) { face in
      guard let key = CString.view(key), let variation = CString.view(variationKey) else {
        throw Refusal(.argument, "key or variation_key is NULL or not UTF-8")
      }
      return face.variables(of: key, variation: variation)
    }
  }
}

@_cdecl("hoist_kameleoon_visitor_explain") @implementation
public func hoist_kameleoon_visitor_explain(_ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
  Handle<KameleoonVisitor>.borrow(visitor).map { visitor in
    TextHandle.give(CString.view(key).flatMap { visitor.explanation($0) }, orElse: "null")
  }
}

@_cdecl("hoist_kameleoon_visitor_feature_variation_key") @implementation
public func hoist_kameleoon_visitor_feature_variation_key(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ variationKey: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  variationKey?.pointee = nil
  guard let variationKey, let visitor = Handle<KameleoonVisitor>.borrow(visitor), let key = CString.view(key) else {
    return Status.argument.rawValue
  }
  let answer = visitor.variation(key, isTracked: true)
  guard let variation = answer.variation else { return answer.status.rawValue }
  defer { variation.release() }
  variationKey.pointee = TextHandle.give(variation.decidedKey)
  return Status.ok.rawValue
}

@_cdecl("hoist_kameleoon_visitor_feature_variable") @implementation
public func hoist_kameleoon_visitor_feature_variable(
  _ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ variableKey: UnsafePointer<CChar>?,
  _ variable: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  variable?.pointee = nil
  guard let variable, let visitor = Handle<KameleoonVisitor>.borrow(visitor), let key = CString.view(key),
    let name = CString.view(variableKey)
  else { return Status.argument.rawValue }
  let answer = visitor.variable(name, of: key)
  variable.pointee = answer.variable.map { OpaquePointer($0.address) }
  return answer.status.rawValue
}

// Of a client.

@_cdecl("hoist_kameleoon_feature_list") @implementation
public func hoist_kameleoon_feature_list(
  _ client: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  read(client, error) { face in
    guard let features = face.featureKeys else { return (nil, .kameleoonSDKNotReady) }
    var writer = JSONWriter()
    writer.array { writer in for key in features { writer.string(utf8: key.buffer) } }
    return (CText(writer.bytes), .ok)
  }
}

@_cdecl("hoist_kameleoon_datafile") @implementation
public func hoist_kameleoon_datafile(_ client: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> OpaquePointer? {
  read(client, error) { face in face.dataFile.map { (CText($0), .ok) } ?? (nil, .kameleoonSDKNotReady) }
}

@_cdecl("hoist_kameleoon_feature_variation_variables") @implementation
public func hoist_kameleoon_feature_variation_variables(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ variationKey: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? { KameleoonListing.variables(client, key, variationKey, error) }

/// Hands out what a visitor gives; nil where it is not ready.
private func give(
  _ visitor: OpaquePointer?, _ place: UnsafeMutablePointer<OpaquePointer?>?, _ body: (KameleoonVisitor) -> OpaquePointer?
) -> hoist_status {
  place?.pointee = nil
  guard let place, let visitor = Handle<KameleoonVisitor>.borrow(visitor) else { return Status.argument.rawValue }
  place.pointee = body(visitor)
  return (place.pointee == nil ? Status.kameleoonSDKNotReady : .ok).rawValue
}

private func read(
  _ client: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?,
  _ body: (KameleoonFace) throws -> (json: CText?, status: Status)
) -> OpaquePointer? {
  result(error) {
    let answer = try body(try KameleoonFace.need(client))
    guard let json = answer.json else { throw Refusal(answer.status, KameleoonFace.reason(answer.status)) }
    return TextHandle.give(ByteView(json.buffer), lentBy: json)
  }
}
