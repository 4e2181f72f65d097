internal import HoistBase
internal import HoistJSON

/// A campaign as it was sent, without its invalid parts. Texts and values are borrowed from the reader of its JSON.
struct CampaignDefinition {
  var id = ByteView.noBytes
  var name = ByteView.noBytes
  var type = ByteView.noBytes
  var slug = ByteView.noBytes
  var groups: [GroupDefinition] = []
}

struct GroupDefinition {
  enum Audience {
    /// The service has decided.
    case decided
    /// Visitors that one of these lists of targetings matches.
    case targeted([[TargetingDefinition]])
  }

  var id = ByteView.noBytes
  var name = ByteView.noBytes
  var audience: Audience
  var variations: [VariationDefinition] = []
}

/// One condition; an unreadable one never holds, so that it admits no wrong visitor.
struct TargetingDefinition {
  var key = ByteView.noBytes
  /// The operator as it was sent.
  var name = ByteView.noBytes
  var test = TargetingTest.never
  /// A scalar or an array; nil where there is none.
  var value: JSONNode?
}

struct VariationDefinition {
  var id = ByteView.noBytes
  var name = ByteView.noBytes
  var isReference = false
  /// In percent; 0 to 100.
  var allocation: UInt32 = 0
  /// An object of values by flag key; nil for none.
  var values: JSONNode?
}

extension CampaignDefinition {
  /// Another one for every other campaign, but for the values of its flags.
  var fingerprint: UInt64 {
    var print = Fingerprint()
    for text in [id, name, type, slug] { print.add(text) }
    for group in groups {
      print.add(group.id)
      print.add(group.name)
      if case .targeted(let lists) = group.audience {
        for list in lists {
          print.add(UInt64(list.count))
          for targeting in list {
            for text in [targeting.key, targeting.name, targeting.value?.source ?? .noBytes] { print.add(text) }
          }
        }
      }
      for variation in group.variations {
        print.add(variation.id)
        print.add(variation.name)
        print.add(UInt64(variation.allocation) << 1 | (variation.isReference ? 1 : 0))
      }
    }
    return print.value
  }
}

private struct Fingerprint {
  private(set) var value: UInt64 = 0

  mutating func add(_ part: UInt64) { value = Hash64.combine(value, part) }
  mutating func add(_ text: ByteView) { add(Hash64.hash(text)) }
}
