import HoistJSON

/// LaunchDarkly's kinds of vectors for servers; told from the members of the first case.
let launchDarklyServer = Vendor(
  kinds: [
    "index_dedup": runServerIndexes,
    "migration_events": runServerMigrations,
  ],
  kindOfUnnamed: { root in
    guard let first = root["cases"]?.array?.element(at: 0) else { return nil }
    return serverSigns.first { first.object?.member($0.member) != nil }?.kind ?? "unknown"
  })

/// A member of every case, by the kind of the file; the first that fits counts.
private let serverSigns: [(member: String, kind: String)] = [
  ("index_contexts", "index_dedup"), ("defaultStage", "migration_events"),
]
