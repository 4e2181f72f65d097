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
  _ visitor: OpaquePointer?, _ keys: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  give(visitor, keys) { visitor in
    guard let list = visitor.activeVariations else { return nil }
    var writer = JSONWriter()
    writer.array { writer in
      for index in 0..<list.count { writer.string(utf8: (list.key(at: index) ?? .noBytes).bindMemory(to: UInt8.self)) }
    }
    return TextHandle.give(writer.bytes)
  }
}

@_cdecl("hoist_kameleoon_visitor_explain") @implementation
public func hoist_kameleoon_visitor_explain(_ visitor: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let visitor = Handle<KameleoonVisitor>.borrow(visitor), let key = CString.view(key) else { return nil }
  return visitor.explanation(key).map { TextHandle.give($0) }
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
  _ client: OpaquePointer?, _ keys: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  read(client, keys) { face in
    guard let features = face.featureKeys else { return (nil, .kameleoonSDKNotReady) }
    var writer = JSONWriter()
    writer.array { writer in for key in features { writer.string(utf8: key.buffer) } }
    return (CText(writer.bytes), .ok)
  }
}

@_cdecl("hoist_kameleoon_datafile") @implementation
public func hoist_kameleoon_datafile(
  _ client: OpaquePointer?, _ datafile: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  read(client, datafile) { face in face.dataFile.map { (CText($0), .ok) } ?? (nil, .kameleoonSDKNotReady) }
}

@_cdecl("hoist_kameleoon_feature_variation_variables") @implementation
public func hoist_kameleoon_feature_variation_variables(
  _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ variationKey: UnsafePointer<CChar>?,
  _ variables: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  variables?.pointee = nil
  guard let key = CString.view(key), let variation = CString.view(variationKey) else { return Status.argument.rawValue }
  return read(client, variables) { $0.variables(of: key, variation: variation) }
}

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
  _ client: OpaquePointer?, _ place: UnsafeMutablePointer<OpaquePointer?>?,
  _ body: (KameleoonFace) -> (json: CText?, status: Status)
) -> hoist_status {
  place?.pointee = nil
  return answer {
    guard let place else { return .argument }
    let answer = body(try KameleoonFace.need(client))
    place.pointee = answer.json.map { TextHandle.give(ByteView($0.buffer), lentBy: $0) }
    return answer.status
  }
}
