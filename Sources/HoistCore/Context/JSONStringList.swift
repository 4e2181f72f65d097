enum JSONStringList { static func text(of list: [[UInt8]]) -> [UInt8] { [] } }
