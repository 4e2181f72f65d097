internal import HoistBase
internal import HoistCore

/// Keeps the prerequisites of an evaluation: for events, and for what browsers get.
struct PrerequisiteList: PrerequisiteWatch {
  /// One that was evaluated to its end, in the order of that.
  struct Entry {
    let flag: UnsafePointer<ServerFlagRecord>
    let result: ServerResult
    /// The flag that names it.
    let dependent: UnsafePointer<ServerFlagRecord>
  }

  private let asked: UnsafePointer<ServerFlagRecord>
  private(set) var entries: [Entry] = []
  /// Of the flag that was asked for, those that were looked at.
  private(set) var direct: [UnsafePointer<PrerequisiteRecord>] = []

  init(of flag: UnsafePointer<ServerFlagRecord>) { asked = flag }

  mutating func looks(at prerequisite: UnsafePointer<PrerequisiteRecord>, of flag: UnsafePointer<ServerFlagRecord>) {
    if flag == asked { direct.append(prerequisite) }
  }

  mutating func evaluated(
    _ flag: UnsafePointer<ServerFlagRecord>, _ result: ServerResult, for dependent: UnsafePointer<ServerFlagRecord>
  ) {
    entries.append(Entry(flag: flag, result: result, dependent: dependent))
  }
}
