internal import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistFlagship

@_cdecl("hoist_flagship_flag_metadata") @implementation
public func hoist_flagship_flag_metadata(_ flag: OpaquePointer?) -> OpaquePointer? {
  Handle<FlagshipFlag>.borrow(flag).map { Handle<OwnedMetadata>.give($0.metadata) }
}

@_cdecl("hoist_flagship_metadata_free") @implementation
public func hoist_flagship_metadata_free(_ metadata: OpaquePointer?) { Handle<OwnedMetadata>.take(metadata) }

@_cdecl("hoist_flagship_metadata_campaign_id") @implementation
public func hoist_flagship_metadata_campaign_id(_ metadata: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(metadata, \.campaignID)
}

@_cdecl("hoist_flagship_metadata_campaign_name") @implementation
public func hoist_flagship_metadata_campaign_name(_ metadata: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(metadata, \.campaignName)
}

@_cdecl("hoist_flagship_metadata_variation_group_id") @implementation
public func hoist_flagship_metadata_variation_group_id(_ metadata: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(metadata, \.variationGroupID)
}

@_cdecl("hoist_flagship_metadata_variation_group_name") @implementation
public func hoist_flagship_metadata_variation_group_name(_ metadata: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(metadata, \.variationGroupName)
}

@_cdecl("hoist_flagship_metadata_variation_id") @implementation
public func hoist_flagship_metadata_variation_id(_ metadata: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(metadata, \.variationID)
}

@_cdecl("hoist_flagship_metadata_variation_name") @implementation
public func hoist_flagship_metadata_variation_name(_ metadata: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(metadata, \.variationName)
}

@_cdecl("hoist_flagship_metadata_is_reference") @implementation
public func hoist_flagship_metadata_is_reference(_ metadata: OpaquePointer?) -> Bool {
  Handle<OwnedMetadata>.borrow(metadata)?.fields.isReference ?? false
}

@_cdecl("hoist_flagship_metadata_campaign_type") @implementation
public func hoist_flagship_metadata_campaign_type(_ metadata: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(metadata, \.campaignType)
}

@_cdecl("hoist_flagship_metadata_slug") @implementation
public func hoist_flagship_metadata_slug(_ metadata: OpaquePointer?) -> UnsafePointer<CChar>? { text(metadata, \.slug) }

@_cdecl("hoist_flagship_metadata_to_json") @implementation
public func hoist_flagship_metadata_to_json(_ metadata: OpaquePointer?) -> OpaquePointer? {
  Handle<OwnedMetadata>.borrow(metadata).map { TextHandle.give($0.json) }
}

/// A field, which has a NUL behind it.
private func text(_ metadata: OpaquePointer?, _ field: KeyPath<FlagMetadata, ByteView>) -> UnsafePointer<CChar>? {
  Handle<OwnedMetadata>.borrow(metadata).map { $0.fields[keyPath: field].chars ?? Constants.empty }
}
