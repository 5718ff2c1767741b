"""A Django admin over a small shop: `shop.py FOLDER PORT`; user admin, password admin."""

import sys
import types

import django
from django.conf import settings

folder, port = sys.argv[1], sys.argv[2]
shop = types.ModuleType("shop")
shop.__file__ = __file__
sys.modules["shop"] = shop
contrib = ["admin", "auth", "contenttypes", "sessions", "messages", "staticfiles"]
middle = "django.contrib"
settings.configure(
    DEBUG=True,
    SECRET_KEY="for tests only",
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["*"],
    INSTALLED_APPS=[f"django.contrib.{name}" for name in contrib] + ["shop"],
    MIDDLEWARE=[
        f"{middle}.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        f"{middle}.auth.middleware.AuthenticationMiddleware",
        f"{middle}.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    f"{middle}.auth.context_processors.auth",
                    f"{middle}.messages.context_processors.messages",
                ]
            },
        }
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/shop.db"}},
    MEDIA_ROOT=f"{folder}/media",
    STATIC_URL="/static/",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.urls import path  # noqa: E402


class Category(models.Model):
    name = models.CharField(max_length=50)

    class Meta:
        app_label = "shop"
        verbose_name_plural = "categories"

    def __str__(self):
        return self.name


class Product(models.Model):
    name = models.CharField(max_length=50)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    category = models.ForeignKey(Category, on_delete=models.CASCADE)
    added = models.DateField()
    manual = models.FileField(upload_to="manuals")

    class Meta:
        app_label = "shop"

    def __str__(self):
        return self.name


class ProductAdmin(admin.ModelAdmin):
    list_display = ["name", "price", "category"]
    list_filter = ["category"]
    search_fields = ["name"]


admin.site.register(Category)
admin.site.register(Product, ProductAdmin)
urlpatterns = [path("admin/", admin.site.urls)]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Category)
        editor.create_model(Product)
    Category.objects.create(name="Garden")
    User.objects.create_superuser("admin", "a@b.c", "admin")
    call_command("runserver", f"127.0.0.1:{port}", use_reloader=False)
