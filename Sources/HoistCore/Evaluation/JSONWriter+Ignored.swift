public import HoistJSON

extension JSONWriter {
  /// Member `ignored` of an explanation: names of attributes that mean nothing to the service. Not there without any.
  public mutating func ignored(in context: FrozenContext?, _ isIgnored: (UnsafePointer<FrozenAttribute>) -> Bool) {
    let given = context.map { context in (0..<context.attributeCount).map { context.attribute(at: $0) } } ?? []
    let names = given.filter(isIgnored).map(\.pointee.nameBytes)
    if !names.isEmpty { array("ignored") { writer in for name in names { writer.string(name) } } }
  }
}
