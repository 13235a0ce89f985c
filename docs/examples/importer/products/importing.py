from importer.registry import register_target
from importer.targets import SerializerTarget, WireSerializer

from products.models import Product, Supplier


class SupplierSerializer(WireSerializer):
    class Meta:
        model = Supplier
        fields = ["code", "name"]


class ProductSerializer(WireSerializer):
    class Meta:
        model = Product
        fields = ["code", "name", "price", "supplier"]


register_target(
    SerializerTarget(
        Supplier, SupplierSerializer, name="Suppliers", modified="updated_at"
    )
)
register_target(SerializerTarget(Product, ProductSerializer, name="Products"))
