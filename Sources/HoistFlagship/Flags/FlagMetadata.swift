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

  /// What the service is told of an exposure: the two ids, and nothing else.
  @inline(__always)
  init(idsOf variation: UnsafePointer<VariationRecord>, in base: UnsafeRawPointer) {
    variationGroupID = variation.pointee.groupID.bytes(base)
    variationID = variation.pointee.id.bytes(base)
  }

  init(_ variation: UnsafePointer<VariationRecord>, in base: UnsafeRawPointer) {
    let group: UnsafePointer<GroupRecord> = base.at(variation.pointee.group)
    let campaign: UnsafePointer<CampaignRecord> = base.at(group.pointee.campaign)
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
    func text(_ name: String, _ bytes: ByteView, _ writer: inout JSONWriter) {
      writer.key(name)
      writer.string(utf8: bytes.bindMemory(to: UInt8.self))
    }
    text("campaignId", campaignID, &writer)
    text("campaignName", campaignName, &writer)
    text("variationGroupId", variationGroupID, &writer)
    text("variationGroupName", variationGroupName, &writer)
    text("variationId", variationID, &writer)
    text("variationName", variationName, &writer)
    writer.key("isReference")
    writer.bool(isReference)
    text("campaignType", campaignType, &writer)
    text("slug", slug, &writer)
  }
}
