internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Audiences and the expressions over them (protocols/optimizely.md 4.2, 4.3).
extension DatafileCompiler {
  /// Typed audiences hide the others of their ids.
  mutating func addAudiences() {
    for audience in datafile.audiences { add(audience, isTyped: false) }
    for audience in datafile.typedAudiences { add(audience, isTyped: true) }
    let entries = audiences.map { id, record in (name: builder.text(id.bytes), record: record) }
    root.audiences = builder.table(entries)
    root.segmentCount = UInt32(segments.count)
    let names = segments.map { builder.text($0.bytes) }
    root.segments = builder.append(contentsOf: names)
  }

  private mutating func add(_ audience: AudienceDefinition, isTyped: Bool) {
    var program: [Instruction] = []
    if let text = audience.conditions?.utf8 {
      let document = try? JSONDocument(parsing: UnsafeRawBufferPointer(text))
      if let document {
        document.withRoot { emit($0, .audience(isTyped: isTyped), &program, Nesting()) }
      } else {
        program = [Instruction(operation: .set)]
      }
    } else if let tree = audience.conditions {
      emit(tree, .audience(isTyped: isTyped), &program, Nesting())
    } else {
      program = [Instruction(operation: .set)]
    }
    let record = AudienceRecord(
      id: builder.text(audience.id), name: builder.text(audience.name),
      program: Program(first: builder.append(contentsOf: program), count: UInt32(program.count)))
    audiences[BytesKey(audience.id)] = builder.append(record)
  }

  /// The `Program` of a rule; 0 for everybody.
  mutating func audience(of rule: RuleDefinition) -> UInt32 {
    var program: [Instruction] = []
    if let tree = rule.audienceConditions {
      if let array = tree.array, array.isEmpty { return 0 }
      emit(tree, .rule, &program, Nesting())
    } else {
      if rule.audienceIDs.isEmpty { return 0 }
      let nesting = rule.audienceIDs.count > 1 ? Nesting(stack: 1) : Nesting()
      if nesting.stack == 1 { program.append(Instruction(operation: .push, truth: .no)) }
      for id in rule.audienceIDs {
        program.append(reference(id))
        if nesting.stack == 1 { program.append(Instruction(operation: .or, target: UInt32(rule.audienceIDs.count * 2 + 1))) }
      }
      if nesting.stack == 1 { program.append(Instruction(operation: .pop)) }
    }
    return builder.append(Program(first: builder.append(contentsOf: program), count: UInt32(program.count)))
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
    guard let record = audiences[BytesKey(id)] else { return Instruction(operation: .set) }
    return Instruction(operation: .audience, target: record)
  }

  private mutating func emit(
    _ node: JSONValue, _ leaves: Leaves, _ program: inout [Instruction], _ nesting: Nesting
  ) {
    guard let list = node.array else {
      program.append(leaf(node, leaves))
      return
    }
    let (operation, operands) = Self.parts(list)
    guard nesting.depth < Program.maximumDepth, let first = operands.first else {
      // An `and` of nothing holds and an `or` of nothing does not; an empty list is unknown.
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
  static func parts(_ list: JSONArray) -> (operation: Instruction.Operation, operands: ArraySlice<JSONValue>) {
    let items = list.map { $0 }[...]
    guard let name = items.first?.utf8.map({ ByteView($0) }) else { return (.or, items) }
    if name.reads("and") { return (.and, items.dropFirst()) }
    if name.reads("or") { return (.or, items.dropFirst()) }
    if name.reads("not") { return (.not, items.dropFirst()) }
    return (.or, items)
  }

  private mutating func leaf(_ node: JSONValue, _ leaves: Leaves) -> Instruction {
    switch leaves {
    case .rule:
      guard let id = node.utf8 else { return Instruction(operation: .set) }
      return reference(ByteView(id))
    case .audience(let isTyped):
      guard node.object != nil else { return Instruction(operation: .set) }
      let record = condition(node)
      if isTyped, record.test == .qualified, let name = node["value"]?.utf8 {
        let key = BytesKey(ByteView(name))
        if knownSegments.insert(key).inserted { segments.append(key) }
      }
      return Instruction(operation: .test, target: builder.append(record))
    }
  }
}
