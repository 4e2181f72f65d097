internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Audiences and the expressions over them (protocols/optimizely.md 4.2, 4.3).
extension DatafileCompiler {
  /// Typed audiences hide the others of their ids.
  mutating func addAudiences() {
    for (index, audience) in datafile.audiences.enumerated() { add(audience, at: index, isTyped: false) }
    for (index, audience) in datafile.typedAudiences.enumerated() { add(audience, at: index, isTyped: true) }
    root.audiences = builder.table(audiences)
    root.segmentCount = UInt32(segments.entries.count)
    let names = segments.entries.map { builder.text($0.key) }
    root.segments = builder.append(contentsOf: names)
  }

  private mutating func add(_ audience: AudienceDefinition, at index: Int, isTyped: Bool) {
    let leaves = Leaves.audience(isTyped: isTyped)
    var program: [Instruction]?
    switch audience.conditions {
    case .json(let tree), .text(let tree): program = try? JSONNode.parse(tree) { self.program(of: $0, leaves) }
    case nil: break
    }
    noteDepth(isTyped ? "typed audience" : "audience", audience.id, index)
    let steps = program ?? [Instruction(operation: .set)]
    let record = AudienceRecord(
      id: builder.text(audience.id), name: builder.text(audience.name), ordinal: audienceCount,
      program: laidOut(steps))
    audienceCount &+= 1  // also of those whose id comes again
    audiences.set(audience.id, to: builder.append(record).offset)
  }

  /// The program of a rule; none matches every user.
  mutating func audience(of rule: RuleDefinition) -> Place<Program> {
    switch rule.audienceConditions {
    case .json(let tree):
      if let known = programs[tree] { return Place(offset: known) }
      let steps = try? JSONNode.parse(tree) { tree in tree.array?.isEmpty ?? false ? [] : self.program(of: tree, .rule) }
      noteDepth("rule", rule.id, rules.count)
      let program = append(steps ?? [Instruction(operation: .set)])
      programs.set(tree, to: program.offset)
      return program
    case .text(let id): return append([reference(id)])
    case nil: return append(program(ofAny: rule.audienceIDs))
    }
  }

  private mutating func noteDepth(_ what: StaticString, _ id: ByteView, _ index: Int) {
    guard isTooDeep else { return }
    isTooDeep = false
    bad.note(
      ElementPlace().inside(what, id, index).text,
      "conditions beyond \(Program.maximumStack) operators of several operands, or \(Program.maximumDepth) of any, inside each "
        + "other are unknown")
  }

  private mutating func append(_ steps: [Instruction]) -> Place<Program> {
    steps.isEmpty ? .none : builder.append(laidOut(steps))
  }

  private mutating func laidOut(_ steps: [Instruction]) -> Program {
    Program(first: builder.append(contentsOf: steps), count: UInt32(steps.count), fingerprint: fingerprint(of: steps))
  }

  private func program(ofAny ids: DefinitionList<ByteView>) -> [Instruction] {
    guard ids.count > 1 else { return ids.map { reference($0) } }
    let end = UInt32(2 * ids.count + 1)
    let steps = ids.flatMap { [reference($0), Instruction(operation: .or, target: end)] }
    return [Instruction(operation: .push, truth: .no)] + steps + [Instruction(operation: .pop)]
  }

  private mutating func program(of tree: JSONNode, _ leaves: Leaves) -> [Instruction] {
    var program: [Instruction] = []
    emit(tree, leaves, &program, Nesting())
    return program
  }

  /// What the leaves of a tree are.
  enum Leaves: Equatable {
    /// Ids of audiences.
    case rule
    /// Conditions.
    case audience(isTyped: Bool)
  }

  struct Nesting {
    var depth = 0
    var stack = 0
  }

  private func reference(_ id: ByteView) -> Instruction {
    guard let record = audiences[id] else { return Instruction(operation: .set) }
    return Instruction(operation: .audience, target: record)
  }

  private mutating func emit(
    _ node: JSONNode, _ leaves: Leaves, _ program: inout [Instruction], _ nesting: Nesting
  ) {
    guard let list = node.array else {
      program.append(leaf(node, leaves))
      return
    }
    let (operation, operands) = Self.parts(list)
    guard nesting.depth < Program.maximumDepth, let first = operands.first else {
      // An `and` of nothing holds and an `or` of nothing does not; an empty list is unknown.
      if nesting.depth >= Program.maximumDepth { isTooDeep = true }
      let isEmptyOperator = nesting.depth < Program.maximumDepth && !list.isEmpty
      let truth: Truth = isEmptyOperator ? (operation == .and ? .yes : operation == .or ? .no : .unknown) : .unknown
      program.append(Instruction(operation: .set, truth: truth))
      return
    }
    var inner = nesting
    inner.depth += 1
    if operation == .not || operands.count == 1 {
      emit(first, leaves, &program, inner)
      if operation == .not { program.append(Instruction(operation: .not)) }
      return
    }
    inner.stack += 1
    guard inner.stack <= Program.maximumStack else {
      isTooDeep = true
      program.append(Instruction(operation: .set))
      return
    }
    program.append(Instruction(operation: .push, truth: operation == .and ? .yes : .no))
    var steps: [Int] = []
    for operand in operands {
      emit(operand, leaves, &program, inner)
      steps.append(program.count)
      program.append(Instruction(operation: operation))
    }
    for step in steps { program[step].target = UInt32(program.count) }
    program.append(Instruction(operation: .pop))
  }

  /// The operator and what it is over; a list that does not begin with one is an `or`.
  static func parts(_ list: JSONNodes) -> (operation: Instruction.Operation, operands: ArraySlice<JSONNode>) {
    let items = Array(list)[...]
    guard let name = items.first?.utf8.map({ ByteView($0) }) else { return (.or, items) }
    if name.reads("and") { return (.and, items.dropFirst()) }
    if name.reads("or") { return (.or, items.dropFirst()) }
    if name.reads("not") { return (.not, items.dropFirst()) }
    return (.or, items)
  }

  private mutating func leaf(_ node: JSONNode, _ leaves: Leaves) -> Instruction {
    switch leaves {
    case .rule:
      guard let id = node.utf8 else { return Instruction(operation: .set) }
      return reference(ByteView(id))
    case .audience(let isTyped):
      guard node.object != nil else { return Instruction(operation: .set) }
      let record = condition(node)
      if isTyped, record.test == .qualified, let name = node["value"]?.utf8 {
        let segment = ByteView(name)
        if segments[segment] == nil { segments.set(texts.keep(segment), to: 1) }
      }
      return Instruction(operation: .test, target: builder.append(record).offset)
    }
  }
}
