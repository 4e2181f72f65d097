public import HoistBase
internal import HoistCore
internal import HoistJSON

/// Where a flag's value came from (FS-72 to FS-74). Texts are lent as long as the `VisitorFlags` they were asked of, each
/// with a NUL behind it; without bytes where there is none.
public struct FlagMetadata {
  public var campaignID = ByteView.noBytes
  public var campaignName = ByteView.noBytes
  public var variationGroupID = ByteView.noBytes
  public var variationGroupName = ByteView.noBytes
  public var variationID = ByteView.noBytes
  public var variationName = ByteView.noBytes
  public var isReference = false
  public var campaignType = ByteView.noBytes
  public var slug = ByteView.noBytes

  /// Of a flag that does not exist.
  public init() {}

  /// The part that is sent of an exposure: only the two ids.
  @inline(__always)
  init(idsOf variation: UnsafePointer<VariationRecord>, in base: UnsafeRawPointer) {
    variationGroupID = variation.pointee.groupID.bytes(base)
    variationID = variation.pointee.id.bytes(base)
  }

  init(_ variation: UnsafePointer<VariationRecord>, in base: UnsafeRawPointer) {
    let group = base.at(variation.pointee.group)
    let campaign = base.at(group.pointee.campaign)
    campaignID = campaign.pointee.id.bytes(base)
    campaignName = campaign.pointee.name.bytes(base)
    variationGroupID = group.pointee.id.bytes(base)
    variationGroupName = group.pointee.name.bytes(base)
    variationID = variation.pointee.id.bytes(base)
    variationName = variation.pointee.name.bytes(base)
    isReference = variation.pointee.isReference
    campaignType = campaign.pointee.type.bytes(base)
    slug = campaign.pointee.slug.bytes(base)
  }

  /// A JSON object of the nine fields.
  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writeMembers(to: &$0) }
    return writer.bytes
  }

  /// The nine fields, inside an object.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("campaignId", campaignID)
    writer.member("campaignName", campaignName)
    writer.member("variationGroupId", variationGroupID)
    writer.member("variationGroupName", variationGroupName)
    writer.member("variationId", variationID)
    writer.member("variationName", variationName)
    writer.member("isReference", isReference)
    writer.member("campaignType", campaignType)
    writer.member("slug", slug)
  }
}
