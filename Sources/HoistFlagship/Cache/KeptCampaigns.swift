internal import HoistBase
internal import HoistJSON

/// A visitor's flags as the visitor cache keeps them: one element for each campaign, with all its flags
/// (protocols/flagship.md 6.1).
enum KeptCampaigns {
  /// A JSON array, in the order in which the campaigns gave their first flag.
  static func json(of flags: VisitorFlags) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: flags.count * 96 + 2)
    withExtendedLifetime(flags) {
      writer.array { writer in
        for campaign in campaigns(of: flags) { write(campaign, to: &writer) }
      }
    }
    return writer.bytes
  }

  /// The same campaigns as the Decision API writes them, which is the form that is read. What is no campaign is left out.
  /// - Parameter kept: a JSON array; anything else is none.
  static func answer(_ kept: [UInt8]) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: kept.count + 128)
    let document = try? JSONDocument(parsing: kept)
    writer.object { writer in
      writer.key("campaigns")
      writer.array { writer in
        document?.withRoot { root in
          guard let campaigns = root.array else { return }
          for campaign in campaigns where campaign.object != nil { convert(campaign, to: &writer) }
        }
      }
    }
    return writer.bytes
  }

  private static func convert(_ campaign: JSONValue, to writer: inout JSONWriter) {
    func copy(_ name: StaticString, as newName: String, _ writer: inout JSONWriter) {
      writer.key(newName)
      // What was parsed within the limits can be written within them.
      writer.raw(campaign[name].flatMap { try? $0.text(wholeDoubles: .withFraction) } ?? Array("null".utf8))
    }
    writer.object { writer in
      copy("campaignId", as: "id", &writer)
      copy("campaignName", as: "name", &writer)
      copy("slug", as: "slug", &writer)
      copy("type", as: "type", &writer)
      copy("variationGroupId", as: "variationGroupId", &writer)
      copy("variationGroupName", as: "variationGroupName", &writer)
      writer.key("variation")
      writer.object { writer in
        copy("variationId", as: "id", &writer)
        copy("variationName", as: "name", &writer)
        copy("isReference", as: "reference", &writer)
        writer.key("modifications")
        writer.object { writer in copy("flags", as: "value", &writer) }
      }
    }
  }

  private static func campaigns(of flags: VisitorFlags) -> [[FlagValue]] {
    var places = BytesTable(expecting: flags.count)
    var campaigns: [[FlagValue]] = []
    for index in 0..<flags.count {
      guard let value = flags.value(at: index) else { continue }
      if let place = places[value.campaignID] {
        campaigns[Int(place)].append(value)
      } else {
        places.set(value.campaignID, to: UInt32(truncatingIfNeeded: campaigns.count))
        campaigns.append([value])
      }
    }
    return campaigns
  }

  private static func write(_ values: [FlagValue], to writer: inout JSONWriter) {
    guard let metadata = values.first?.metadata else { return }
    writer.object { writer in
      func text(_ name: String, _ bytes: ByteView, _ writer: inout JSONWriter) {
        writer.key(name)
        writer.string(utf8: bytes.bindMemory(to: UInt8.self))
      }
      text("campaignId", metadata.campaignID, &writer)
      text("campaignName", metadata.campaignName, &writer)
      text("variationGroupId", metadata.variationGroupID, &writer)
      text("variationGroupName", metadata.variationGroupName, &writer)
      text("variationId", metadata.variationID, &writer)
      text("variationName", metadata.variationName, &writer)
      writer.key("isReference")
      writer.bool(metadata.isReference)
      text("type", metadata.campaignType, &writer)
      text("slug", metadata.slug, &writer)
      writer.key("activated")
      writer.bool(false)
      writer.key("flags")
      writer.object { writer in
        for value in values {
          writer.key(utf8: value.key.bindMemory(to: UInt8.self))
          writer.raw(value.json)
        }
      }
    }
  }
}
