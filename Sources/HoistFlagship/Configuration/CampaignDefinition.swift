internal import HoistBase
internal import HoistJSON

/// A campaign as it was sent, what is wrong with it left out. Texts and values are borrowed from the reader of its JSON.
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
    /// Those whom one of these lists of targetings matches.
    case targeted([[TargetingDefinition]])
  }

  var id = ByteView.noBytes
  var name = ByteView.noBytes
  var audience: Audience
  var variations: [VariationDefinition] = []
}

/// One condition; what cannot be read never holds, so that it admits nobody whom it should not.
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
