internal import HoistCore

/// What a client's options say of visitors.
struct VisitorSettings: Sendable {
  /// FS-23, FS-24
  let lookUpTimeoutMilliseconds: Int64
  /// 0: every fetch is one (FS-204).
  let bufferingMilliseconds: Int64
  /// FS-212
  let fetchesAtCreation: Bool
  /// Of visitors that are made without a word of it (FS-34).
  let hasConsented: Bool
  let keepsGeneratedIDs: Bool

  init(_ values: PropertyValues) {
    lookUpTimeoutMilliseconds = values.integer("visitor_cache.timeout_ms")
    bufferingMilliseconds = values.integer("fetch.buffering_ms")
    fetchesAtCreation = values.boolean("fetch.at_creation")
    hasConsented = values.boolean("has_consented")
    keepsGeneratedIDs = values.boolean("generated_ids.keep")
  }

  static let table: [Property] = [
    Property("visitor_cache.timeout_ms", .integer(1...60_000), default: "200", "Longest time that a look-up in the visitor cache may take, in milliseconds."),
    Property("fetch.buffering_ms", .integer(0...600_000), default: "0", "Milliseconds after a fetch in which another one of the same visitor, whose flags are fetched, does nothing; 0 for none. Newer SDKs of the vendor have 2000."),
    Property("fetch.at_creation", .boolean, default: "false", "Whether a new visitor fetches its flags at once, as a call right after would; making it does not wait for them (the vendor's fetchNow)."),
    Property("has_consented", .boolean, default: "true", "Whether visitors have consented that are made without a word of it: by the calls of the core, and without options."),
    Property("generated_ids.keep", .boolean, default: "false", "Whether generated ids of visitors are kept in the store and used again."),
  ]
}
