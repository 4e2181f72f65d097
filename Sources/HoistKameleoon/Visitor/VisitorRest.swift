/// What is known of a visitor beyond what decisions read.
struct VisitorRest: Sendable {
  /// Whether the code that the data is stored under is a unique identifier (KAM-07).
  var isUnique = false
  /// Sent with lines, not as one; empty for none.
  var userAgent: [UInt8] = []
  /// When single things were set.
  var times = SingleTimes()
  /// The custom data that names the visitor to other devices: index (4.5); nil for none.
  var mappingIndex: Int64?
  /// Segments that matched, in the order in which they first did (KAM-B12).
  var segments: [Int64] = []
  /// How many conversions there were.
  var conversionCount: Int64 = 0
  /// Whether the visit history is the service's, and not what this installation has seen.
  var hasRemoteHistory = false
  /// What came before the first configuration, which says what it means (protocols/kameleoon.md 4.1).
  var aside: [DatumAside] = []
  /// Indexes of custom data that came from the service before the first configuration, which says what is sent back
  /// (2.7).
  var fetched: [Int64] = []

  /// Whether the first configuration has something to say of it.
  var waitsForConfiguration: Bool { !aside.isEmpty || !fetched.isEmpty }
}

/// Milliseconds of Unix time; 0 where there is nothing.
struct SingleTimes: Sendable, Equatable {
  var device: Int64 = 0
  var browser: Int64 = 0
  var operatingSystem: Int64 = 0
  var geolocation: Int64 = 0
  var applicationVersion: Int64 = 0
  var cookies: Int64 = 0
  var userAgent: Int64 = 0
}

/// A datum that waits for the first configuration.
struct DatumAside: Sendable {
  var datum: VisitorDatum
  /// Of the visitor that it was given for.
  var code: [UInt8]
  var isTracked: Bool
  var time: Int64

  var isPage: Bool { datum.isPage }
}
