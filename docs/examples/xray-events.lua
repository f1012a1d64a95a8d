-- Decodes an application's own XRay events. Put this file into Wireshark's personal plugin folder, or
--   tools/run tshark -X lua_script:docs/examples/xray-events.lua -r captures/xray/fdr-typed.xray -Y note

-- Typed events have a number: register for it.
local note = Proto("note", "Note of my application")
local note_text = ProtoField.string("note.text", "Text")
note.fields = { note_text }

function note.dissector(payload, pinfo, tree)
    local item = tree:add(note, payload())
    item:add(note_text, payload())
    pinfo.cols.info = "Note: " .. payload():string()
end

DissectorTable.get("xray.event.type"):add(7, note)

-- Custom events have none: look at the payload and say whether it is yours.
local order = Proto("order", "Order of my application")
local order_size = ProtoField.uint32("order.size", "Size")
order.fields = { order_size }

function order.dissector(payload, pinfo, tree)
    tree:add(order, payload()):add(order_size, payload():len())
    return true
end

order:register_heuristic("xray.event.custom", order.dissector)
